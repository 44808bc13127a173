/* What a recording shows: its bodies on the screen, the robot that moves them if there is one, curves that stand still. Replay and
 * the robot mode move the same world. */
import { RobotCell } from '../../../bindings/wasm/robot.js';
import { makeBody } from './bodies.js';
import { meshOfFaces, meshOfPoints } from './geometry.js';
import { Lines, makeFloor, niceStep, sheetOf, Solid } from './marks.js';
import { Place } from './paint.js';
import { shade } from './pairview.js';
import { poseFrom } from './state.js';
import * as THREE from 'three';
import { roleColour } from './theme.js';

const IDENTITY = { p: [0, 0, 0], q: [0, 0, 0, 1] };

/* Position and unit quaternion in seven numbers. */
function readPose(list, out, at) {
  const { p, q } = poseFrom(list);
  const length = Math.hypot(...q);
  out.set([...p, ...q.map((x) => x / length)], at);
}

/* A shape of a recording, and a mesh of it in the shape's frame. */
function meshOf(apart, shape) {
  if (shape.mesh) return { shape: null, mesh: meshOfFaces(shape.vertices, shape.faces, 28), plane: false, dim: 3, free: () => {} };
  const text = shape.shape ?? (shape.round > 0 ? `hull:${shape.vertices.flat().join()}+${shape.round}` : null);
  if (text !== null) return makeBody(apart, text);
  const points = Float64Array.from(shape.vertices.flat());
  const made = apart.hull(points);
  /* A face of many corners is the end of a round link: its sides are shaded as one. */
  const round = made.hull.faces().some((face) => face.length >= 12);
  return { shape: made, mesh: meshOfPoints(apart, points, round ? 28 : 0), plane: false, dim: 3, free: () => made.free() };
}

export class World {
  constructor(app, record, name) {
    this.app = app;
    this.record = record;
    this.name = name;
    this.meshes = [];
    this.u = 0.5;
    this.muted = []; /* pairs of bodies, by number */
    record.shapes.forEach((shape, i) => {
      try {
        this.meshes.push(meshOf(app.apart, shape));
      } catch (error) {
        for (const mesh of this.meshes) mesh.free();
        throw new Error(`${name}: shapes[${i}]: ${error.message}`);
      }
    });
    this.cell = null;
    this.makeCell();
    this.root = new Place();
    this.root.visible = false;
    this.from = new THREE.Quaternion();
    this.target = new THREE.Vector3();
    this.t = record.frames.map((frame) => frame.t);
    this.readPoses();
    this.makeBodies();
    this.root.quaternion.setFromEuler(new THREE.Euler(record.up === 'y' ? Math.PI / 2 : 0, record.up === 'x' ? -Math.PI / 2 : 0, 0));
    const [pane] = app.stage.panes;
    pane.scene.add(this.root);
    this.root.update(pane.scene.world);
    this.placeFloor(pane);
  }

  /* Anew when a pair is muted: then everything is certified without it. */
  makeCell() {
    if (!this.record.robot) return;
    let cell;
    try {
      cell = new RobotCell(this.app.apart, this.record, this.meshes.map(({ shape }) => shape), this.muted);
    } catch (error) {
      throw new Error(`${this.name}: robot: ${error.message}`);
    }
    this.cell?.free();
    this.cell = cell;
    this.q = this.q ?? Float64Array.from(this.record.motion?.q[0] ?? cell.rest());
    cell.set(this.q);
  }

  free() {
    this.cell?.free();
    for (const mesh of this.meshes) mesh.free();
    for (const { group } of this.bodies) group.dispose();
    for (const lines of this.paths) lines.dispose();
    this.root.clear();
    const { scene } = this.app.stage.panes[0];
    scene.remove(this.floor);
    scene.remove(this.root);
    this.floor.dispose();
  }

  setVisible(visible) {
    this.root.visible = visible;
    this.floor.visible = visible && !this.meshes.some(({ plane }) => plane);
  }

  nameOf(body) { return this.record.bodies[body].name ?? `body ${body}`; }

  /* ---- bodies ---- */

  readPoses() {
    const { frames, bodies } = this.record;
    const n = bodies.length;
    this.poses = new Float64Array(7 * n * frames.length);
    frames.forEach((frame, f) => frame.poses.forEach((pose, b) => {
      const at = 7 * (f * n + b);
      if (pose !== null) readPose(pose, this.poses, at);
      else if (f > 0) this.poses.copyWithin(at, at - 7 * n, at - 7 * n + 7);
      else this.poses.set([0, 0, 0, 0, 0, 0, 1], at);
    }));
  }

  makeBodies() {
    const { theme } = this.app;
    let moving = 0;
    this.bodies = this.record.bodies.map((body) => {
      const group = new Place();
      /* Bodies that move are told apart from their neighbours. */
      const role = body.role ?? 'moving';
      const ground = body.parts.some((part) => this.meshes[part.shape].plane);
      const colour = body.colour ?? (ground ? theme.fixed : role === 'moving' ? [theme.b, theme.a][moving++ % 2] : roleColour(theme, role));
      const solids = body.parts.map((part) => {
        const { mesh, plane, numbers, dim } = this.meshes[part.shape];
        const pose = part.pose ? poseFrom(part.pose) : IDENTITY;
        const solid = new Solid({ colour, line: shade(colour, 0.5), width: 1.2, flat: dim === 2, opacity: dim === 2 ? 0.5 : 1 });
        if (plane) solid.add(sheetOf(numbers, colour, 0.25, this.planeSize()));
        else solid.wear(mesh);
        solid.position.set(...pose.p);
        solid.quaternion.set(...pose.q);
        group.add(solid);
        return solid;
      });
      this.root.add(group);
      return { group, solids, corners: this.cornersOf(body), colour, ground };
    });
    this.paths = (this.record.paths ?? []).map((path) => {
      const lines = new Lines(Math.max(1, path.points.length - 1), 2.5, theme.ink, { through: false, opacity: 0.75 });
      path.points.slice(1).forEach((p, i) => lines.put(i, ...path.points[i], ...p));
      lines.count(path.points.length - 1);
      return lines;
    });
    this.root.add(...this.paths);
  }

  paintBody(body, colour) {
    const { solids } = this.bodies[body];
    for (const solid of solids) {
      solid.mesh.setColour(colour, solid.mesh.colour[3]);
      solid.edges.setColour(shade(colour, 0.5), 1);
    }
  }

  /* Of a box around the body, in its own frame; none for a half-space. */
  cornersOf(body) {
    const box = new THREE.Box3();
    const p = new THREE.Vector3();
    for (const part of body.parts) {
      const { mesh, plane } = this.meshes[part.shape];
      if (plane) continue;
      const pose = part.pose ? poseFrom(part.pose) : IDENTITY;
      this.from.set(...pose.q).normalize();
      for (let i = 0; i < mesh.corners.length; i += 3) box.expandByPoint(p.fromArray(mesh.corners, i).applyQuaternion(this.from).add(this.target.set(...pose.p)));
    }
    if (box.isEmpty()) return [];
    return [0, 1, 2, 3, 4, 5, 6, 7].map((k) => new THREE.Vector3(k & 1 ? box.min.x : box.max.x, k & 2 ? box.min.y : box.max.y, k & 4 ? box.min.z : box.max.z));
  }

  planeSize() {
    let most = 0.5;
    for (let i = 0; i < this.poses.length; i += 7) most = Math.max(most, Math.abs(this.poses[i]), Math.abs(this.poses[i + 1]), Math.abs(this.poses[i + 2]));
    return 2.6 * most;
  }

  /* ---- poses ---- */

  /* The robot where its joints say. */
  placeRobot(q) {
    if (q !== this.q) for (let v = 0; v < q.length; v++) this.q[v] = q[v];
    this.cell.set(this.q);
    const { world } = this.cell;
    for (let b = 0; b < this.bodies.length; b++) {
      const { position, quaternion } = this.bodies[b].group;
      const i = 7 * b;
      position.set(world[i], world[i + 1], world[i + 2]);
      quaternion.set(world[i + 3], world[i + 4], world[i + 5], world[i + 6]);
    }
  }

  /* Between two frames: positions on a line, rotations on the shorter arc. A picture, nothing is asked there. */
  placeBetween(f, next, u) {
    const n = this.bodies.length;
    this.u = u; /* as an argument it would be boxed for every body */
    for (let b = 0; b < n; b++) this.placeBody(this.bodies[b].group, 7 * (f * n + b), 7 * (next * n + b));
  }

  placeBody({ position, quaternion }, i, j) {
    const { poses: p, u } = this;
    position.set(p[i] + u * (p[j] - p[i]), p[i + 1] + u * (p[j + 1] - p[i + 1]), p[i + 2] + u * (p[j + 2] - p[i + 2]));
    const cosine = p[i + 3] * p[j + 3] + p[i + 4] * p[j + 4] + p[i + 5] * p[j + 5] + p[i + 6] * p[j + 6];
    const angle = Math.acos(Math.min(1, Math.abs(cosine)));
    const sine = Math.sin(angle);
    const s = sine > 1e-6 ? Math.sin((1 - u) * angle) / sine : 1 - u;
    const t = (cosine < 0 ? -1 : 1) * (sine > 1e-6 ? Math.sin(u * angle) / sine : u);
    quaternion.set(s * p[i + 3] + t * p[j + 3], s * p[i + 4] + t * p[j + 4], s * p[i + 5] + t * p[j + 5], s * p[i + 6] + t * p[j + 6]).normalize();
  }

  /* ---- extent ---- */

  /* Where corners of bodies come in the course of the recording, xyz after xyz. */
  reached() {
    const list = [];
    const n = this.bodies.length;
    const stride = Math.max(1, Math.floor(this.t.length / 60));
    const p = new THREE.Vector3();
    for (let f = 0; f < this.t.length; f += stride) {
      this.bodies.forEach(({ corners }, b) => {
        const at = 7 * (f * n + b);
        this.from.fromArray(this.poses, at + 3).normalize();
        for (const corner of corners) {
          p.copy(corner).applyQuaternion(this.from).add(this.target.fromArray(this.poses, at)).applyMatrix4(this.root.world);
          list.push(p.x, p.y, p.z);
        }
      });
    }
    for (const path of this.record.paths ?? []) for (const point of path.points) list.push(...p.set(...point).applyMatrix4(this.root.world).toArray());
    return list.length > 0 ? list : [-1, -1, -1, 1, 1, 1];
  }

  placeFloor(pane) {
    this.floor = makeFloor(this.app.theme.grid);
    pane.scene.add(this.floor);
    const box = new THREE.Box3().setFromArray(this.reached());
    const center = box.getCenter(new THREE.Vector3());
    this.floor.position.set(center.x, center.y, box.min.z);
    this.floor.scale.setScalar(niceStep(0.5 * box.getSize(new THREE.Vector3()).length()));
    this.floor.visible = false;
  }
}
