/* Two bodies on the left, their difference on the right: what Explore and Step draw.
 *
 * The difference {b - a} only turns and changes shape with the bodies' rotations; a translation moves it as a whole. So its mesh is made
 * anew when a body turns, and otherwise put in its place. Per frame nothing is allocated. */
import { makeBody } from './bodies.js';
import { Difference } from './difference.js';
import { flatTriangles } from './geometry.js';
import { Arrow, Label, Lines, makeFloor, niceStep, Sheet, sheetOf, Solid, Spots } from './marks.js';
import { Place } from './paint.js';
import * as THREE from 'three';

const ZERO = new Float64Array(3);
/* The edges of a tetrahedron; those of a smaller simplex have smaller numbers only. */
const PAIRS = [0, 1, 0, 2, 0, 3, 1, 2, 1, 3, 2, 3];
export const shade = (colour, factor) => new THREE.Color(colour).multiplyScalar(factor);

/* The corner that the next surface of a depth search has and this one has not. */
function newCorner({ surface }, next) {
  if (!next || next.surface.length === 0) return null;
  const key = (xyz, i) => `${xyz[i]},${xyz[i + 1]},${xyz[i + 2]}`;
  const known = new Set();
  for (let i = 0; i < surface.length; i += 3) known.add(key(surface, i));
  for (let i = 0; i < next.surface.length; i += 3) if (!known.has(key(next.surface, i))) return Array.from(next.surface.subarray(i, i + 3));
  return null;
}

export const identity = () => ({ p: new Float64Array(3), q: Float64Array.of(0, 0, 0, 1), m: null });

/* Rows of the rotation. */
function rotationOf(pose, out) {
  if (pose.m) {
    for (let i = 0; i < 9; i++) out[i] = pose.m[i];
    return out;
  }
  const x = pose.q[0];
  const y = pose.q[1];
  const z = pose.q[2];
  const w = pose.q[3];
  const s = 2 / (x * x + y * y + z * z + w * w);
  out[0] = 1 - s * (y * y + z * z); out[1] = s * (x * y - z * w); out[2] = s * (x * z + y * w);
  out[3] = s * (x * y + z * w); out[4] = 1 - s * (x * x + z * z); out[5] = s * (y * z - x * w);
  out[6] = s * (x * z - y * w); out[7] = s * (y * z + x * w); out[8] = 1 - s * (x * x + y * y);
  return out;
}

export class PairView {
  constructor(apart, stage, theme) {
    this.apart = apart;
    this.stage = stage;
    this.theme = theme;
    [this.world, this.space] = stage.panes;
    this.bodies = [null, null];
    this.poses = [identity(), identity()];
    this.rotations = [new Float64Array(9), new Float64Array(9)];
    this.group = [new Place(), new Place()];
    this.world.scene.add(this.group[0]);
    this.space.scene.add(this.group[1]);
    this.difference = new Difference(apart);
    this.rows = new Float64Array(12);
    this.seven = new Float64Array(7);
    this.simplex = [new Float64Array(12), new Float64Array(12)];
    this.way = new THREE.Vector3();
    this.middleOfGap = new Float64Array(3);
    this.vNow = new Float64Array(3);
    /* Numbers that functions leave behind: as their result they would be boxed. */
    this.reached = new Float64Array(2);
    this.far = new Float64Array(1);
    this.look = new THREE.Vector3();
    this.turned = new THREE.Quaternion();
    this.shown = { plane: true };
    this.solids = [null, null];
    this.handles = [null, null]; /* what the pointer takes them by */
    this.makeMarks();
    stage.before.push(() => this.group[0].visible && this.bodies[1] && this.placeNames());
  }

  makeMarks() {
    const { theme, world, space } = this;
    this.floor = [makeFloor(theme.grid), makeFloor(theme.grid)];
    /* World. */
    this.witness = new Spots(2, 9, theme.measure, theme.spot);
    this.gap = new Lines(1, 3.5, theme.measure);
    this.sheet = new Sheet(theme.measure);
    this.corner = [new Spots(4, 8, theme.simplex, theme.spot), new Spots(4, 8, theme.simplex, theme.spot)];
    this.side = [new Lines(6, 2.5, theme.simplex), new Lines(6, 2.5, theme.simplex)];
    this.found = [new Spots(2, 13, theme.ink, theme.spot), new Spots(1, 13, theme.ink, theme.spot)];
    for (const spots of this.found) spots.order = 21; /* above corners of the simplex */
    this.ask = [new Arrow(3, theme.ink), new Arrow(3, theme.ink)];
    this.group[0].add(this.floor[0], this.witness, this.gap, this.sheet, ...this.ask, this.found[0], ...this.side, ...this.corner);
    /* Space of differences. */
    this.axes = new Lines(3, 1.5, theme.faint);
    this.origin = new Spots(1, 10, theme.ink, theme.spot);
    this.v = new Lines(2, 4, theme.measure);
    this.tip = new Spots(1, 9, theme.measure, theme.spot);
    this.tip.order = 19; /* below a corner of the simplex that v ends in */
    this.points = new Spots(4, 9, theme.simplex, theme.spot);
    this.links = new Lines(6, 3, theme.simplex);
    this.fill = new Solid({ colour: theme.simplex, line: theme.simplex, opacity: 0.28 });
    this.limit = new Sheet(theme.ink, 0.08);
    this.line = new Lines(1, 2, theme.ink, { opacity: 0.65 }); /* the same in the plane */
    this.direction = new Arrow(3, theme.ink);
    this.half = new Sheet(theme.difference, 0.3);
    this.whole = new Solid({ colour: theme.difference, line: theme.difference });
    this.coreSet = new Solid({ colour: theme.difference, line: theme.difference });
    this.surface = new Solid({ colour: theme.surface, line: theme.surface });
    this.group[1].add(this.floor[1], this.whole, this.coreSet, this.surface, this.axes, this.v, this.links, this.fill, this.limit, this.line, this.half, this.direction, this.points, this.found[1], this.tip, this.origin);
    this.label = {
      a: new Label(world, 'A', 'a'), b: new Label(world, 'B', 'b'), distance: new Label(world, '', 'measure'),
      o: new Label(space, 'O', 'ink'), v: new Label(space, 'v', 'measure'), w: new Label(space, 'w', 'ink'), set: new Label(space, 'B − A', 'difference'),
    };
    /* What a picture begins without. */
    this.counted = [this.witness, this.tip, this.points, ...this.corner, ...this.found, this.gap, this.v, this.links, this.line, ...this.side];
    this.shownSometimes = [this.sheet, this.limit, this.half, this.fill, this.direction, ...this.ask, this.surface, this.label.distance, this.label.w, this.label.v];
  }

  recolour(theme) {
    this.theme = theme;
    for (const floor of this.floor) floor.setColour(theme.grid);
    for (const spots of [this.witness, this.tip]) spots.dress(theme.measure, theme.spot);
    for (const spots of [...this.corner, this.points]) spots.dress(theme.simplex, theme.spot);
    for (const spots of [...this.found, this.origin]) spots.dress(theme.ink, theme.spot);
    for (const thing of [this.gap, this.v, this.sheet]) thing.setColour(theme.measure);
    for (const lines of [...this.side, this.links]) lines.setColour(theme.simplex);
    for (const thing of [...this.ask, this.direction, this.limit, this.line]) thing.setColour(theme.ink);
    this.half.setColour(theme.difference);
    this.axes.setColour(theme.faint);
    this.fill.dress({ colour: theme.simplex, line: theme.simplex, opacity: 0.28 });
    this.bodies.forEach((body, i) => body && this.makeSolid(i));
    if (this.bodies[0] && this.bodies[1]) this.dressDifference();
    this.stage.invalidate();
  }

  get flat() { return this.bodies[0]?.dim === 2; }

  setVisible(visible) {
    for (const group of this.group) group.visible = visible;
    for (const label of Object.values(this.label)) label.visible = visible;
  }

  /* Both at once: a pair of a plane and a solid body has no answer. */
  setBodies(texts) {
    const made = [];
    try {
      for (const [i, text] of texts.entries()) made[i] = this.bodies[i]?.text === text ? this.bodies[i] : makeBody(this.apart, text);
      if (made[0].dim !== made[1].dim) throw new Error('one body is 2D, the other is 3D: choose two bodies of the same dimension');
      if (made[0].plane && made[1].plane) throw new Error('the distance of two half-spaces is not defined');
    } catch (error) {
      made.forEach((body, i) => body !== this.bodies[i] && body.free());
      throw error;
    }
    const old = this.bodies.filter((body, i) => body && body !== made[i]);
    this.pair?.free();
    for (const body of old) body.free();
    this.bodies = made;
    this.pair = this.apart.pair(made[0].shape, made[1].shape);
    for (const pane of this.stage.panes) pane.setFlat(this.flat);
    for (const i of [0, 1]) this.makeSolid(i);
    this.scale = made[0].size + made[1].size;
    this.dressDifference();
    this.placeAxes();
    this.difference.set(made);
    for (const floor of this.floor) floor.visible = !this.flat;
    this.placePoses(true);
  }

  makeSolid(i) {
    const body = this.bodies[i];
    const { theme } = this;
    const colour = i === 0 ? theme.a : theme.b;
    const flat = body.dim === 2;
    const old = this.solids[i];
    if (old) {
      this.group[0].remove(old);
      old.dispose();
    }
    const solid = new Solid({ colour, line: flat ? colour : shade(colour, 0.5), ...(flat ? { flat, opacity: 0.28, width: 3 } : { width: body.vertices && body.vertices.length < 600 ? 1.5 : 1 }) });
    const sheet = body.plane ? sheetOf(body.numbers, colour, 0.3, 8) : null;
    if (sheet) solid.add(sheet);
    else solid.wear(body.mesh);
    this.handles[i] = (sheet ?? solid).mesh;
    solid.mesh.center.fromArray(body.middle);
    solid.fixed = true;
    this.solids[i] = solid;
    this.group[0].add(solid);
    this.placeBody(i);
  }

  placeBody(i) {
    const { p } = this.poses[i];
    const r = this.rotations[i];
    const m = this.solids[i].matrix.elements; /* by columns */
    for (let k = 0; k < 3; k++) {
      m[k] = r[3 * k];
      m[4 + k] = r[3 * k + 1];
      m[8 + k] = r[3 * k + 2];
      m[12 + k] = p[k];
    }
  }

  setPose(i, pose, turned) {
    this.poses[i] = pose;
    this.placePose(i);
    if (turned) this.makeDifference();
    else this.placeDifference();
  }

  placePose(i) {
    const { p, q, m } = this.poses[i];
    rotationOf(this.poses[i], this.rotations[i]);
    if (m) {
      for (let k = 0; k < 9; k++) this.rows[k + Math.floor(k / 3)] = m[k];
      for (let k = 0; k < 3; k++) this.rows[4 * k + 3] = p[k];
      this.pair.poseRows(i, this.rows);
    } else {
      for (let k = 0; k < 3; k++) this.seven[k] = p[k];
      for (let k = 0; k < 4; k++) this.seven[3 + k] = q[k];
      this.pair.poseNumbers(i, this.seven);
    }
    this.placeBody(i);
  }

  placePoses(turned) {
    for (const i of [0, 1]) this.placePose(i);
    if (turned) this.makeDifference();
    else this.placeDifference();
  }

  get rounded() { return this.bodies.some((body) => body.radius > 0 || body.core !== body.shape); }

  get hasPlane() { return this.bodies.some((body) => body.plane); }

  /* The looks of the difference, and of the surface that grows in it. */
  dressDifference() {
    const { flat, rounded, hasPlane, whole, coreSet, surface } = this;
    const { difference, surface: sky } = this.theme;
    const line = flat ? difference : shade(difference, 0.6);
    const width = flat ? 2.5 : 1;
    whole.dress({ colour: difference, line, flat, width, opacity: flat || rounded ? 0.2 : 0.34, lineOpacity: flat ? 1 : 0.6, order: flat ? 0 : 2 });
    coreSet.dress({ colour: difference, line, flat, width, opacity: flat ? 0.25 : 0.4, lineOpacity: 0.8 });
    surface.dress({ colour: sky, line: shade(sky, 0.55), opacity: 0.5, width: flat ? 3 : 1.6 });
    whole.visible = !hasPlane;
    coreSet.visible = rounded && !hasPlane;
  }

  makeDifference() {
    if (this.whole.visible) this.whole.wear(this.difference.make(this.rotations, 'shape'));
    if (this.coreSet.visible) this.coreSet.wear(this.difference.make(this.rotations, 'core'));
    this.placeDifference();
  }

  placeDifference() {
    const a = this.poses[0].p;
    const b = this.poses[1].p;
    this.whole.position.set(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
    this.coreSet.position.copy(this.whole.position);
    this.stage.invalidate();
  }

  /* ---- cameras ---- */

  /* Corners of body i at a place, world coordinates; a half-space has none. */
  cornersAt(i, { p }, out) {
    const body = this.bodies[i];
    const r = this.rotations[i];
    if (body.plane) return;
    const { corners } = body.mesh;
    for (let k = 0; k < corners.length; k += 3) {
      const [x, y, z] = [corners[k], corners[k + 1], corners[k + 2]];
      out.push(r[0] * x + r[1] * y + r[2] * z + p[0], r[3] * x + r[4] * y + r[5] * z + p[1], r[6] * x + r[7] * y + r[8] * z + p[2]);
    }
  }

  /* Corners of the difference of bodies at these places. */
  cornersOfSet(poseA, poseB, out) {
    if (!this.whole.visible) return;
    const { position, triangles, line, lines } = this.difference.shells.shape;
    const [list, count] = triangles > 0 ? [position, 9 * triangles] : [line, 6 * lines];
    for (let k = 0; k < count; k += 1) out.push(list[k] + poseB.p[k % 3] - poseA.p[k % 3]);
  }

  /* Everything, and B also at the other places that it passes. */
  frame(direction, share = 0.86, ways = []) {
    const way = direction ?? this.stage.direction();
    const [pa, pb] = this.poses;
    const plane = this.bodies.findIndex((body) => body.plane);
    const world = [];
    const space = [0, 0, 0];
    this.cornersAt(0, pa, world);
    for (const pose of [pb, ...ways]) {
      this.cornersAt(1, pose, world);
      this.cornersOfSet(pa, pose, space);
    }
    if (plane >= 0) {
      this.reachPlane(plane, world);
      space.push(...[-1, 1].flatMap((x) => [-1, 1].flatMap((y) => [x, y, 0, 0, 0, x])).map((x) => 0.9 * this.scale * x));
    }
    this.world.frame(world, way, plane >= 0 ? 0.55 : share);
    this.space.frame(space, way, share);
    this.placeFloor(0, world);
    this.placeFloor(1, space);
    this.stage.invalidate();
  }

  /* The other body's shadow on a half-space belongs to the picture. */
  reachPlane(i, points) {
    const [x, y, z, offset] = this.bodies[i].numbers;
    const r = this.rotations[i];
    const length = Math.hypot(x, y, z);
    const n = [0, 1, 2].map((k) => (r[3 * k] * x + r[3 * k + 1] * y + r[3 * k + 2] * z) / length);
    const at = offset + n.reduce((sum, value, k) => sum + value * this.poses[i].p[k], 0);
    for (let k = points.length - 3; k >= 0; k -= 3) {
      const above = n[0] * points[k] + n[1] * points[k + 1] + n[2] * points[k + 2] - at;
      points.push(points[k] - above * n[0], points[k + 1] - above * n[1], points[k + 2] - above * n[2]);
    }
  }

  placeFloor(i, points) {
    const box = new THREE.Box3().setFromArray(points);
    const size = box.getSize(new THREE.Vector3()).length() / 2;
    box.getCenter(this.floor[i].position).setZ(box.min.z - 0.02 * size);
    this.floor[i].scale.setScalar(niceStep(size));
  }

  /* ---- marks ---- */

  clearMarks() {
    for (let i = 0; i < this.counted.length; i++) this.counted[i].count(0);
    for (let i = 0; i < this.shownSometimes.length; i++) this.shownSometimes[i].visible = false;
  }

  /* What is as large as the bodies: the cross at the origin, and the sheets. */
  placeAxes() {
    const { scale } = this;
    const arm = 0.16 * scale;
    this.sheet.scale.setScalar(0.75 * scale);
    this.limit.scale.setScalar(0.6 * scale);
    this.half.scale.setScalar(1.8 * scale);
    this.axes.put(0, -arm, 0, 0, arm, 0, 0);
    this.axes.put(1, 0, -arm, 0, 0, arm, 0);
    this.axes.put(2, 0, 0, this.flat ? 0 : -arm, 0, 0, this.flat ? 0 : arm);
    this.axes.count(3);
    this.origin.put(0, 0, 0, 0);
    this.origin.count(1);
    this.label.o.at.set(0, 0, 0);
  }

  names() {
    const { label } = this;
    label.set.visible = this.whole.visible;
    label.a.visible = label.b.visible = label.o.visible = true;
  }

  /* How far a body reaches from its middle along the way, into `reached`. */
  reach(i) {
    const { way, reached } = this;
    const body = this.bodies[i];
    reached[i] = 0;
    if (body.plane) return;
    const r = this.rotations[i];
    const x = r[0] * way.x + r[3] * way.y + r[6] * way.z;
    const y = r[1] * way.x + r[4] * way.y + r[7] * way.z;
    const z = r[2] * way.x + r[5] * way.y + r[8] * way.z;
    const { middle, mesh: { corners } } = body;
    let most = -Infinity;
    for (let k = 0; k < corners.length; k += 3) {
      const along = corners[k] * x + corners[k + 1] * y + corners[k + 2] * z;
      if (along > most) most = along;
    }
    reached[i] = most - (middle[0] * x + middle[1] * y + middle[2] * z);
  }

  /* Where the middle of a body is. */
  middle(i, out) {
    const { middle: m } = this.bodies[i];
    const { p } = this.poses[i];
    const r = this.rotations[i];
    return out.set(r[0] * m[0] + r[1] * m[1] + r[2] * m[2] + p[0], r[3] * m[0] + r[4] * m[1] + r[5] * m[2] + p[1], r[6] * m[0] + r[7] * m[1] + r[8] * m[2] + p[2]);
  }

  /* As seen on the screen: the unit vector from one place to another, into `way`, and how long it was, into `far`. */
  wayOnScreen(pane, from, to) {
    const { way } = this;
    const look = this.look.setFromMatrixColumn(pane.camera.matrixWorld, 2);
    way.copy(to).sub(from);
    way.addScaledVector(look, -way.dot(look));
    const far = way.length();
    if (far < 1e-9) way.set(1, 0, 0).applyQuaternion(pane.camera.quaternion);
    else way.divideScalar(far);
    this.far[0] = far;
  }

  /* The names stand in the middles; where the bodies hide each other on the screen they move apart, to where each is seen. */
  placeNames() {
    const { a, b, o, set } = this.label;
    const { way, reached } = this;
    this.middle(0, a.at);
    this.middle(1, b.at);
    if (this.whole.visible) { /* away from the origin */
      set.at.copy(b.at).sub(a.at);
      this.wayOnScreen(this.space, o.at, set.at);
      this.reach(1);
      way.negate();
      this.reach(0);
      set.at.addScaledVector(way, -0.4 * (reached[0] + reached[1]));
    }
    this.wayOnScreen(this.world, a.at, b.at);
    const far = this.far[0];
    if (this.flat) { /* the middles may coincide: then one name stands above the other */
      const over = Math.max(0, this.bodies[0].size + this.bodies[1].size - far);
      way.multiplyScalar(far).setY(way.y + over).normalize();
    }
    this.reach(1);
    way.negate();
    this.reach(0);
    const reachA = reached[0];
    const reachB = reached[1];
    const hidden = Math.min(1, Math.max(0, (1.6 * (reachA + reachB) - far) / (reachA + reachB + 1e-12)));
    a.at.addScaledVector(way, 0.55 * hidden * reachA);
    b.at.addScaledVector(way, -0.55 * hidden * reachB);
  }

  /* What overlaps is of glass. */
  setGlass(glass) {
    if (this.flat) return;
    this.solids[0].setGlass(glass);
    this.solids[1].setGlass(glass);
  }

  /* The difference of a half-space and a body: again one, beyond v. */
  drawHalf(r) {
    if (!this.bodies[0].plane && !this.bodies[1].plane) return;
    const { normal: n, distance: d } = r;
    this.half.place([d * n[0], d * n[1], d * n[2]], n);
    this.half.visible = true;
    this.label.set.visible = true;
    this.label.set.at.set(d * n[0], d * n[1], d * n[2]).addScaledVector(this.way.set(1, 0, 0).applyQuaternion(this.space.camera.quaternion), -0.4 * this.scale);
  }

  drawWitness(r) {
    const { a, b } = r;
    this.witness.copy(0, a, 0);
    this.witness.copy(1, b, 0);
    this.witness.count(2);
    this.gap.join(0, a, 0, b, 0);
    this.gap.count(1);
    const apart = r.distance > 0;
    this.sheet.visible = this.shown.plane && apart;
    for (let k = 0; k < 3; k++) this.middleOfGap[k] = (a[k] + b[k]) / 2;
    if (apart) this.sheet.place(this.middleOfGap, r.normal);
    this.label.distance.visible = true;
    this.label.distance.beside(a, b);
  }

  /* A simplex of `count` points on both bodies, world coordinates xyz after xyz; in the space of differences with its sides. */
  drawSimplex(count, a, b) {
    const { position } = this.points.source;
    for (let i = 0; i < count; i++) {
      for (let k = 3 * i; k < 3 * i + 3; k++) position[k] = b[k] - a[k];
      this.corner[0].copy(i, a, 3 * i);
      this.corner[1].copy(i, b, 3 * i);
    }
    let lines = 0;
    for (let k = 0; k < PAIRS.length; k += 2) {
      const i = 3 * PAIRS[k];
      const j = 3 * PAIRS[k + 1];
      if (j >= 3 * count) continue;
      this.links.join(lines, position, i, position, j);
      this.side[0].join(lines, a, i, a, j);
      this.side[1].join(lines, b, i, b, j);
      lines += 1;
    }
    this.points.count(count);
    this.links.count(lines);
    for (let side = 0; side < 2; side++) {
      this.corner[side].count(count);
      this.side[side].count(lines);
    }
  }

  drawV(v, text) {
    this.v.join(0, ZERO, 0, v, 0);
    this.v.count(1);
    this.tip.copy(0, v, 0);
    this.tip.count(1);
    this.label.v.visible = true;
    this.label.v.beside(ZERO, v);
    this.label.o.setLeft(this.way.fromArray(v).applyQuaternion(this.turned.copy(this.space.camera.quaternion).invert()).x > 0);
    this.label.v.set(text);
  }

  /* The simplex of an answer as points on both cores, world coordinates: numbered vertices where they are. A curved body has no numbers;
   * there its witness point stands for all of them, which leaves every weighted mean, and so v, where it is. */
  placeSimplex(r) {
    for (let side = 0; side < 2; side++) {
      const { numbered, shape } = this.bodies[side];
      const index = side === 0 ? r.indexA : r.indexB;
      const witness = side === 0 ? r.a : r.b;
      const sign = side === 0 ? -1 : 1; /* inwards */
      const out = this.simplex[side];
      for (let i = 0; i < r.count; i++) {
        if (numbered !== null && index[i] !== null) this.placeVertex(side, numbered, 3 * index[i], out, 3 * i);
        else for (let k = 0; k < 3; k++) out[3 * i + k] = witness[k] + sign * shape.radius * r.normal[k];
      }
    }
  }

  placeVertex(side, xyz, i, out, o) {
    const r = this.rotations[side];
    const { p } = this.poses[side];
    for (let k = 0; k < 3; k++) out[o + k] = r[3 * k] * xyz[i] + r[3 * k + 1] * xyz[i + 1] + r[3 * k + 2] * xyz[i + 2] + p[k];
  }

  /* Explore: the answer, and the simplex that the query ended with. */
  drawAnswer(r) {
    this.clearMarks();
    this.names();
    this.placeSimplex(r);
    this.drawSimplex(r.count, this.simplex[0], this.simplex[1]);
    for (let side = 0; side < 2; side++) {
      this.corner[side].count(0);
      this.side[side].count(0);
    }
    this.setGlass(r.distance < 0);
    this.drawHalf(r);
    this.drawWitness(r);
    for (let k = 0; k < 3; k++) this.vNow[k] = r.b[k] - r.a[k];
    this.drawV(this.vNow, 'v');
    this.stage.invalidate();
  }

  fillSimplex(points) {
    const faces = { 3: [[0, 1, 2]], 4: [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]] }[points.length] ?? [];
    this.fill.wear(flatTriangles(new Float32Array(faces.flatMap((face) => face.flatMap((i) => points[i]))), new Float32Array(0)));
    this.fill.visible = true;
  }

  drawSurface(step) {
    this.surface.visible = step.surface.length > 0;
    if (step.surface.length === 0) return;
    const ring = step.simplex.length === 2;
    const xyz = step.surface;
    const lines = [];
    const n = xyz.length / 3;
    for (let i = 0; i < n; i++) {
      const next = ring ? (i + 1) % n : 3 * Math.floor(i / 3) + (i + 1) % 3;
      lines.push(...xyz.subarray(3 * i, 3 * i + 3), ...xyz.subarray(3 * next, 3 * next + 3));
    }
    const triangles = ring ? Array.from({ length: n - 2 }, (_, i) => [0, i + 1, i + 2]).flat() : Array.from({ length: n }, (_, i) => i);
    this.surface.wear(flatTriangles(new Float32Array(triangles.flatMap((i) => [xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]])), new Float32Array(lines)));
  }

  /* Step: one iteration of a trace. */
  drawStep(trace, k) {
    const step = trace.steps[k];
    const o = trace.origin;
    const flat = (name) => step.simplex.flatMap((s) => s[name].map((x, i) => x + o[i]));
    this.clearMarks();
    this.names();
    this.drawSimplex(step.simplex.length, flat('a'), flat('b'));
    this.fillSimplex(step.simplex.map((s) => s.b.map((x, i) => x - s.a[i])));
    this.drawSurface(step);
    this.setGlass(trace.result.distance < 0);
    this.label.set.visible = step.surface.length === 0 && !this.bodies[0].plane && !this.bodies[1].plane;
    const length = Math.hypot(...step.v);
    const depth = step.surface.length > 0;
    const enclosed = !Number.isFinite(step.lower);
    if (!enclosed) this.drawV(step.v, depth ? 'nearest' : 'v');
    if (length === 0 || enclosed) return this.stage.invalidate();
    const n = step.v.map((x) => x / length);
    const arm = 0.15 * this.scale;
    if (depth) {
      const reach = -step.lower;
      this.placeLimit(n, reach, n.map((x) => x * reach));
      this.direction.place(step.v, n, arm);
      this.drawFound(newCorner(step, trace.steps[k + 1]));
      return this.stage.invalidate();
    }
    /* The new pair: farthest against v in the difference; A along v, B against it. */
    const a = step.support.a.map((x, i) => x + o[i]);
    const b = step.support.b.map((x, i) => x + o[i]);
    const w = step.support.b.map((x, i) => x - step.support.a[i]);
    this.found[0].put(0, ...a);
    this.found[0].put(1, ...b);
    this.found[0].count(2);
    this.drawFound(w);
    const reach = w[0] * n[0] + w[1] * n[1] + w[2] * n[2];
    this.placeLimit(n, reach, w);
    this.ask[0].place(a, n, arm);
    this.ask[1].place(b, n.map((x) => -x), arm);
    this.direction.place(step.v, n.map((x) => -x), arm);
    return this.stage.invalidate();
  }

  /* The lower bound: the plane across n at this distance from the origin, in two dimensions a line; it goes beyond w, which lies on it. */
  placeLimit(n, reach, w) {
    const foot = n.map((x) => x * reach);
    if (!this.flat) {
      this.limit.place(foot, n);
      this.limit.visible = true;
      return;
    }
    const along = (w[1] - foot[1]) * n[0] - (w[0] - foot[0]) * n[1];
    const arm = 0.35 * this.scale;
    const [from, to] = [Math.min(0, along) - arm, Math.max(0, along) + arm];
    this.line.put(0, foot[0] - from * n[1], foot[1] + from * n[0], 0, foot[0] - to * n[1], foot[1] + to * n[0], 0);
    this.line.count(1);
  }

  drawFound(w) {
    if (!w) return;
    this.found[1].put(0, ...w);
    this.found[1].count(1);
    this.label.w.visible = true;
    this.label.w.at.set(...w);
  }
}
