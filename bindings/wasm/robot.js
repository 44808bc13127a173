/* Robots for JavaScript: apart/robot.h as WebAssembly. A cell is made of a recording with a robot (docs/recording.md), which
 * `apart view`, `apart clearance --record` or readRobot write; its poses and distances have the bits of the program.
 *
 *     const cell = new RobotCell(apart, recording, shapes);    // shapes: of the recording, in its order
 *     cell.set(q);                                             // one number for each of cell.variables
 *     cell.nearest().distance                                  // lower <= true value <= upper
 *     cell.motion({ q0, q1 }).lower                            // certified along the way
 *
 * Calls that run every frame make no garbage: they fill arrays and objects that the cell keeps. */
import { ApartError } from './apart.js';

const NEAR = 14; /* numbers of a distance in robot_wasm.c */
const NONE = 0xffffffff;
const jointKinds = ['fixed', 'rotary', 'continuous', 'sliding'];
const IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];

/* Twelve numbers, rows of rotation and translation, from a pose of a recording. */
export function poseRows(pose) {
  if (!pose) return IDENTITY;
  if (pose.length === 12) return pose;
  const [x, y, z, a, b, c, d] = pose;
  const n = Math.hypot(a, b, c, d);
  const [i, j, k, w] = [a / n, b / n, c / n, d / n];
  return [1 - 2 * (j * j + k * k), 2 * (i * j - k * w), 2 * (i * k + j * w), x, 2 * (i * j + k * w), 1 - 2 * (i * i + k * k), 2 * (j * k - i * w), y,
    2 * (i * k - j * w), 2 * (j * k + i * w), 1 - 2 * (i * i + j * j), z];
}

/* The shape of apart.js for a shape of a recording, null for triangles as they are. */
export function shapeOf(apart, shape) {
  if (shape.mesh) return null;
  return shape.shape !== undefined ? apart.shape(shape.shape) : apart.hull(Float64Array.from(shape.vertices.flat()), shape.round ?? 0);
}

const nearOf = () => ({ pair: 0, a: 0, b: 0, distance: 0, lower: 0, upper: 0, point_a: new Float64Array(3), point_b: new Float64Array(3), normal: new Float64Array(3) });

export class RobotCell {
  /* shapes: per shape of the recording { shape } of apart.js, or null for triangles as they are. muted: pairs [a, b] of bodies. */
  constructor(apart, record, shapes, muted = []) {
    this.m = apart.m;
    this.record = record;
    this.owned = [];
    this.meshes = new Map();
    try {
      this.shapes = shapes;
      this.makeRobot();
      this.makeCell(muted);
    } catch (error) {
      this.free();
      throw error;
    }
  }

  /* ---- texts and numbers in the module's memory ---- */

  word(text) {
    const { m } = this;
    const bytes = new TextEncoder().encode(`${text}\0`);
    const pointer = m.allocate(bytes.length);
    m.u8.set(bytes, pointer);
    this.owned.push(pointer);
    return pointer;
  }

  room(bytes) {
    const pointer = this.m.allocate(bytes);
    this.owned.push(pointer);
    return pointer;
  }

  put(pointer, numbers) {
    this.m.view().f64.set(numbers, pointer >> 3);
    return pointer;
  }

  require(status) {
    if (status === 0) return;
    const message = this.m.text(this.m.c.robot_message());
    throw new ApartError(message || this.m.text(this.m.c.status_message(status)), status);
  }

  pointerFrom(call) {
    const out = this.room(4);
    this.require(call(out));
    return this.m.view().u32[out >> 2];
  }

  /* ---- the model ---- */

  meshPointer(index) {
    if (!this.meshes.has(index)) {
      const { vertices, faces } = this.record.shapes[index];
      const corners = Uint32Array.from(faces.flatMap((face) => face.slice(2).flatMap((v, k) => [face[0], face[k + 1], v])));
      const xyz = this.room(24 * vertices.length);
      this.put(xyz, vertices.flat());
      const list = this.room(4 * corners.length);
      this.m.view().u32.set(corners, list >> 2);
      this.meshes.set(index, this.pointerFrom((out) => this.m.c.mesh_build(xyz, vertices.length, list, corners.length / 3, out)));
    }
    return this.meshes.get(index);
  }

  makeRobot() {
    const { c } = this.m;
    const { robot, bodies } = this.record;
    this.numbers = this.room(8 * 32);
    this.robot = c.robot_new(this.word(robot.name));
    const order = robot.links.map((link, i) => i).sort((i, j) => (robot.links[i].group ?? 0) - (robot.links[j].group ?? 0) || i - j);
    let group = 0;
    order.forEach((i, at) => {
      for (; group < (robot.links[i].group ?? 0); group++) c.robot_begin_group(this.robot);
      this.require(c.robot_add_link(this.robot, this.word(robot.links[i].name)));
      const body = bodies[robot.links[i].body];
      for (const part of body?.parts ?? []) this.addPart(at, part);
    });
    robot.joints.forEach((joint, i) => this.addJoint(joint, i));
    this.require(c.robot_finish(this.robot));
    this.count = robot.variables.length;
    this.names = robot.variables.map((j) => robot.joints[j].name);
    this.variables = robot.variables.map((j) => {
      const joint = robot.joints[j];
      const [lower, upper] = joint.limits ?? [null, null];
      return { name: joint.name, kind: joint.kind, joint: j, lower: lower ?? -Infinity, upper: upper ?? Infinity };
    });
    this.order = Uint32Array.from(this.names.map((name) => c.robot_find_variable(this.robot, this.word(name))));
    this.linkNumbers = robot.links.map((link) => c.robot_find_link(this.robot, this.word(link.name)));
    if (this.order.some((v) => v >= this.count)) throw new ApartError('the robot of the recording: its variables are not those of its joints', 12);
    this.q = this.room(8 * this.count);
    this.rows = this.room(8 * 6 * this.count);
    this.reach = c.robot_reach(this.robot);
  }

  addPart(link, part) {
    const { c } = this.m;
    const rows = this.put(this.numbers, poseRows(part.pose));
    const shape = this.shapes[part.shape];
    if (shape !== null) this.require(c.robot_add_part(this.robot, link, shape.pointer, rows));
    else {
      const mesh = this.meshPointer(part.shape);
      this.put(this.numbers, poseRows(part.pose));
      this.require(c.robot_add_mesh(this.robot, link, mesh, rows, part.surface ? 1 : 0));
    }
  }

  addJoint(joint, i) {
    const { links, joints, variables } = this.record.robot;
    const main = joint.variable === undefined ? null : joints[variables[joint.variable]];
    const numbers = [jointKinds.indexOf(joint.kind), ...poseRows(joint.origin), ...(joint.axis ?? [0, 0, 1]), joint.limits?.[0] ?? -Infinity, joint.limits?.[1] ?? Infinity, joint.factor ?? 1, joint.offset ?? 0];
    this.put(this.numbers, numbers);
    this.require(this.m.c.robot_add_joint(this.robot, this.word(joint.name), this.word(links[joint.parent].name), this.word(links[i + 1].name),
      main !== null && main !== joint ? this.word(main.name) : 0, this.numbers));
  }

  /* ---- the cell ---- */

  /* The recording's pairs without those that are muted; what the library would look at besides is left out. */
  makeCell(muted) {
    const { c } = this.m;
    const { robot, bodies } = this.record;
    const key = (a, b) => (a < b ? `${a} ${b}` : `${b} ${a}`);
    const wanted = new Set(robot.pairs.map(([a, b]) => key(a, b)));
    for (const [a, b] of muted) wanted.delete(key(a, b));
    if (wanted.size === 0) throw new ApartError('no pair is left: all of them are muted', 21);
    this.cell = this.draftCell();
    this.readBodies();
    let left = 0;
    for (let p = 0; p < this.pairs.length; p++) {
      const [a, b] = this.pairs[p];
      if (wanted.has(key(a, b))) continue;
      c.robot_disable(this.robot, this.word(bodies[a].name ?? ''), this.word(bodies[b].name ?? ''));
      left += 1;
    }
    if (left > 0) {
      c.cell_free(this.cell);
      this.cell = 0;
      this.cell = this.draftCell();
      this.readBodies();
    }
    this.work = this.pointerFrom((out) => c.work_create(this.cell, out));
    this.poses = this.room(8 * 7 * bodies.length);
    this.world = new Float64Array(7 * bodies.length);
    this.nears = this.room(c.near_size() * Math.max(1, this.pairs.length));
    this.out = this.room(8 * NEAR * Math.max(1, this.pairs.length));
    this.countAt = this.room(4);
    this.gradientAt = this.room(8 * this.count + 8);
    this.jacobianAt = this.room(24 * this.count);
    this.near = nearOf();
    this.list = this.pairs.map(nearOf);
    this.listed = 0;
    this.gradient = new Float64Array(this.count);
    this.linear = new Float64Array(3 * this.count);
  }

  draftCell() {
    const { c } = this.m;
    const { robot, bodies } = this.record;
    const links = new Set(robot.links.map((link) => link.body));
    const obstacles = bodies.map((body, i) => i).filter((i) => !links.has(i));
    const parts = obstacles.reduce((sum, i) => sum + bodies[i].parts.length, 0);
    const margins = robot.pairs.filter((pair) => pair.length > 2);
    const meshes = new Map(obstacles.flatMap((i) => bodies[i].parts.filter((part) => this.shapes[part.shape] === null).map((part) => [part.shape, this.meshPointer(part.shape)])));
    const draft = c.cell_begin(obstacles.length, parts, parts, margins.length);
    for (const i of obstacles) {
      c.cell_obstacle(draft, this.word(bodies[i].name ?? ''), this.put(this.numbers, poseRows(bodies[i].pose)));
      for (const part of bodies[i].parts) {
        this.put(this.numbers, poseRows(part.pose));
        if (meshes.has(part.shape)) c.cell_mesh(draft, meshes.get(part.shape), this.numbers, part.surface ? 1 : 0);
        else c.cell_part(draft, this.shapes[part.shape].pointer, this.numbers);
      }
    }
    for (const [a, b, margin] of margins) c.cell_margin(draft, this.word(bodies[a].name), this.word(bodies[b].name), margin);
    try {
      this.obstacles = obstacles;
      return this.pointerFrom((out) => c.cell_make(draft, this.robot, this.put(this.numbers, poseRows(robot.base)), out));
    } finally {
      c.cell_end(draft);
    }
  }

  /* The recording's number of each body of the cell, and its pairs in these numbers. */
  readBodies() {
    const { c } = this.m;
    const count = c.cell_body_count(this.cell);
    const named = new Map(this.record.robot.links.filter((link) => link.body !== undefined).map((link) => [link.name, link.body]));
    this.bodyOf = Array.from({ length: count }, (_, i) => {
      const at = i - (count - this.obstacles.length);
      return at >= 0 ? this.obstacles[at] : named.get(this.m.text(c.cell_body_name(this.cell, i)));
    });
    const two = this.room(8);
    this.pairs = Array.from({ length: c.cell_pair_count(this.cell) }, (_, p) => {
      c.cell_pair(this.cell, p, two);
      const { u32 } = this.m.view();
      return [this.bodyOf[u32[two >> 2]], this.bodyOf[u32[(two >> 2) + 1]]];
    });
  }

  free() {
    const { c } = this.m;
    if (this.work) c.work_free(this.work);
    if (this.cell) c.cell_free(this.cell);
    if (this.robot) c.robot_free(this.robot);
    for (const mesh of this.meshes.values()) c.mesh_release(mesh);
    for (const pointer of this.owned) c.release(pointer);
    this.work = this.cell = this.robot = 0;
    this.owned = [];
  }

  /* ---- where it is ---- */

  /* Moves the robot; world then has seven numbers for each body. */
  set(q) {
    const { f64 } = this.m.view();
    for (let v = 0; v < this.count; v++) f64[(this.q >> 3) + this.order[v]] = q[v];
    this.require(this.m.c.work_set(this.work, this.q));
    this.m.c.work_poses(this.work, this.poses);
    const from = this.poses >> 3;
    const all = this.m.view().f64;
    for (let i = 0; i < this.bodyOf.length; i++) for (let k = 0; k < 7; k++) this.world[7 * this.bodyOf[i] + k] = all[from + 7 * i + k];
  }

  read(near, at) {
    const { f64 } = this.m;
    near.pair = f64[at];
    const [a, b] = this.pairs[near.pair];
    near.a = a;
    near.b = b;
    near.distance = f64[at + 1];
    near.lower = f64[at + 2];
    near.upper = f64[at + 3];
    for (let k = 0; k < 3; k++) {
      near.point_a[k] = f64[at + 4 + k];
      near.point_b[k] = f64[at + 7 + k];
      near.normal[k] = f64[at + 10 + k];
    }
    return near;
  }

  nearest() {
    this.require(this.m.c.work_nearest(this.work, this.nears, this.out));
    this.m.view();
    return this.read(this.near, this.out >> 3);
  }

  /* The k nearest pairs, nearest first: the first `listed` of list. */
  nearestOf(k) {
    const most = Math.min(k, this.pairs.length);
    this.require(this.m.c.work_k_nearest(this.work, most, this.nears, this.out, this.countAt));
    const { u32 } = this.m.view();
    this.listed = u32[this.countAt >> 2];
    for (let i = 0; i < this.listed; i++) this.read(this.list[i], (this.out >> 3) + NEAR * i);
    return this.list;
  }

  /* The distance of one pair by its number. */
  distance(pair) {
    this.require(this.m.c.work_distance(this.work, pair, this.nears, this.out));
    this.m.view();
    return this.read(this.near, this.out >> 3);
  }

  /* Of the distance of the nearest pair, by variable; after nearest or distance. False: it has a kink here. */
  gradientOfNear() {
    const unique = this.gradientAt + 8 * this.count;
    this.require(this.m.c.work_gradient(this.work, this.nears, this.gradientAt, unique));
    const { f64, u32 } = this.m.view();
    for (let v = 0; v < this.count; v++) this.gradient[v] = f64[(this.gradientAt >> 3) + this.order[v]];
    return u32[unique >> 2] !== 0;
  }

  /* How a point of a link moves in the world: three numbers for each variable, in linear. */
  jacobian(link, point) {
    this.put(this.numbers, point);
    this.require(this.m.c.work_jacobian(this.work, this.linkNumbers[link], this.numbers, this.jacobianAt));
    const { f64 } = this.m.view();
    for (let v = 0; v < this.count; v++) for (let k = 0; k < 3; k++) this.linear[3 * v + k] = f64[(this.jacobianAt >> 3) + 3 * this.order[v] + k];
    return this.linear;
  }

  /* The pose of a link in the world: twelve numbers. */
  linkPose(link) {
    this.m.c.work_link_pose(this.work, this.linkNumbers[link], this.numbers);
    return Array.from(this.m.view().f64.subarray(this.numbers >> 3, (this.numbers >> 3) + 12));
  }

  /* ---- motions ---- */

  putRow(row, q) {
    const { f64 } = this.m.view();
    for (let v = 0; v < this.count; v++) f64[(this.rows >> 3) + row * this.count + this.order[v]] = q[v];
  }

  putSegment({ q0, q1, v0, v1, a0, a1 }) {
    this.putRow(0, q0);
    this.putRow(1, q1);
    if (v0 && v1) {
      this.putRow(2, v0);
      this.putRow(3, v1);
    }
    if (a0 && a1) {
      this.putRow(4, a0);
      this.putRow(5, a1);
    }
    return a0 && a1 ? 5 : v0 && v1 ? 3 : 1;
  }

  /* The positions at s of a segment { q0, q1, v0, v1, a0, a1, duration }, into q. */
  segmentAt(segment, s, q) {
    const degree = this.putSegment(segment);
    this.m.c.segment_at(this.robot, degree, segment.duration ?? 1, this.rows, s, this.q);
    const { f64 } = this.m.view();
    for (let v = 0; v < this.count; v++) q[v] = f64[(this.q >> 3) + this.order[v]];
    return q;
  }

  /* The smallest distance along a segment, certified; with a limit only whether it stays at or above it. */
  motion(segment, { tolerance = 0, limit = null } = {}) {
    const degree = this.putSegment(segment);
    this.require(this.m.c.segment_motion(this.work, degree, segment.duration ?? 1, this.rows, tolerance, limit === null ? 0 : 1, limit ?? 0, this.numbers));
    const { f64 } = this.m.view();
    const at = this.numbers >> 3;
    const [a, b] = this.pairs[f64[at + 3]];
    return { lower: f64[at], upper: f64[at + 1], s: f64[at + 2], pair: f64[at + 3], a, b, queries: f64[at + 4] };
  }

  /* Positions without a better choice: 0, or the limit nearest to it. */
  rest() { return Float64Array.from(this.variables, ({ lower, upper }) => Math.min(Math.max(0, lower), upper)); }
}

/* ---- robots from files ---- */

const textNames = { 0: 'point', 1: 'segment', 2: 'triangle', 4: 'box', 6: 'cylinder', 7: 'cone', 8: 'ellipsoid', 9: 'halfspace' };
const textCounts = { 0: 3, 1: 6, 2: 9, 4: 3, 6: 2, 7: 2, 8: 3, 9: 4 };

class RobotFile {
  constructor(apart) {
    this.apart = apart;
    this.m = apart.m;
    this.shapes = [];
    this.known = new Map();
    this.numbers = this.m.allocate(8 * 32);
  }

  word(text) {
    const bytes = new TextEncoder().encode(`${text}\0`);
    const pointer = this.m.allocate(bytes.length);
    this.m.u8.set(bytes, pointer);
    return pointer;
  }

  take(count) { return Array.from(this.m.view().f64.subarray(this.numbers >> 3, (this.numbers >> 3) + count)); }

  place(key, make) {
    if (!this.known.has(key)) {
      this.known.set(key, this.shapes.length);
      this.shapes.push(make());
    }
    return this.known.get(key);
  }

  hullShape(hull, radius) {
    const { m } = this;
    const count = m.c.hull_vertex_count(hull);
    const pointer = m.allocate(24 * count);
    m.c.hull_vertices(hull, pointer);
    const vertices = Array.from({ length: count }, (_, i) => m.vec(pointer + 24 * i));
    m.c.release(pointer);
    return { vertices, faces: [], ...(radius > 0 ? { round: radius } : {}) };
  }

  shape(pointer) {
    const kind = this.m.c.shape_numbers(pointer, this.numbers);
    const [radius, ...numbers] = this.take(12);
    if (kind === -1) {
      const hull = this.m.c.shape_hull_of(pointer);
      return this.place(`${hull} ${radius}`, () => this.hullShape(hull, radius));
    }
    if (!(kind in textNames)) throw new ApartError('a shape of the robot cannot be shown', 8);
    const list = numbers.slice(0, textCounts[kind]);
    const text = kind === 0 && list.every((x) => x === 0) ? `sphere:${radius}`
      : kind === 1 && list[0] === 0 && list[1] === 0 && list[3] === 0 && list[4] === 0 && list[2] === -list[5] ? `capsule:${radius},${Math.abs(list[5])}`
        : `${textNames[kind]}:${list.join()}${radius > 0 ? `+${radius}` : ''}`;
    return this.place(text, () => ({ shape: text }));
  }

  mesh(pointer) {
    const { m } = this;
    return this.place(`mesh ${pointer}`, () => {
      m.c.mesh_counts(pointer, this.numbers);
      const [vertices, triangles] = m.view().u32.subarray(this.numbers >> 2, (this.numbers >> 2) + 2);
      const xyz = m.allocate(24 * vertices);
      const corners = m.allocate(12 * triangles);
      m.c.mesh_content(pointer, xyz, corners);
      m.view();
      const out = { mesh: true, vertices: Array.from({ length: vertices }, (_, i) => m.vec(xyz + 24 * i)), faces: Array.from({ length: triangles }, (_, i) => Array.from(m.u32.subarray((corners >> 2) + 3 * i, (corners >> 2) + 3 * i + 3))) };
      m.c.release(xyz);
      m.c.release(corners);
      return out;
    });
  }

  parts(robot, link) {
    const { c } = this.m;
    const pose = () => { const rows = this.take(12); return rows.every((x, i) => x === IDENTITY[i]) ? {} : { pose: rows }; };
    const parts = [];
    for (let i = 0; i < c.robot_part_count(robot, link); i++) {
      const shape = c.robot_part(robot, link, i, this.numbers);
      const at = pose();
      parts.push({ shape: this.shape(shape), ...at });
    }
    const surface = this.m.allocate(4);
    for (let i = 0; i < c.robot_mesh_count(robot, link); i++) {
      const mesh = c.robot_mesh(robot, link, i, this.numbers, surface);
      const at = pose();
      const open = this.m.view().u32[surface >> 2] !== 0;
      parts.push({ shape: this.mesh(mesh), ...at, ...(open ? { surface: true } : {}) });
    }
    this.m.c.release(surface);
    return parts;
  }

  joint(robot, i) {
    const { c } = this.m;
    c.robot_joint(robot, i, this.numbers);
    const n = this.take(22);
    const name = this.m.text(c.robot_joint_name(robot, i));
    const joint = { name, kind: jointKinds[n[0]], parent: n[20], origin: n.slice(1, 13) };
    if (n[21] >= 0) Object.assign(joint, { axis: n.slice(13, 16), limits: [n[16], n[17]].map((x) => (Number.isFinite(x) ? x : null)), variable: n[21] }, n[18] !== 1 || n[19] !== 0 ? { factor: n[18], offset: n[19] } : {});
    return joint;
  }
}

/* The robot of a file as a recording of one frame, and what its reader noted. files: [{ name, bytes }], the robot's among them;
 * obstacles: bodies [{ name, parts, pose }] whose shapes are of `shapes`. */
export function readRobot(apart, files, path, { srdf = null, shapes = [], obstacles = [], as = 0 } = {}) {
  const { m } = apart;
  const { c } = m;
  const file = new RobotFile(apart);
  const fail = (status) => { if (status !== 0) throw new ApartError(m.text(c.robot_message()), status); };
  c.files_clear();
  for (const { name, bytes } of files) {
    const word = file.word(name);
    const data = c.files_add(word, bytes.length);
    m.view().u8.set(bytes, data);
    c.release(word);
  }
  const out = m.allocate(4);
  let robot = 0;
  try {
    fail(c.robot_read(file.word(path), as, out));
    robot = m.view().u32[out >> 2];
    const others = m.putIndices([...obstacles.map(({ name }) => file.word(name)), 0]);
    if (srdf) fail(c.robot_read_srdf(file.word(srdf), others, robot));
    file.shapes.push(...shapes);
    const bodies = [];
    const links = Array.from({ length: c.robot_link_count(robot) }, (_, i) => {
      const parts = file.parts(robot, i);
      const name = m.text(c.robot_link_name(robot, i));
      const group = c.robot_group(robot, i);
      if (parts.length > 0) bodies.push({ name, role: 'link', parts });
      return { name, ...(group > 0 ? { group } : {}), ...(parts.length > 0 ? { body: bodies.length - 1 } : {}) };
    });
    const joints = Array.from({ length: links.length - 1 }, (_, i) => file.joint(robot, i));
    const variables = [];
    joints.forEach((joint, i) => { if (joint.variable !== undefined && c.robot_find_variable(robot, file.word(joint.name)) === joint.variable) variables[joint.variable] = i; });
    const states = {};
    for (let i = 0; i < c.robot_state_count(robot); i++) (states[m.text(c.robot_state_text(robot, i, 0))] ??= {})[m.text(c.robot_state_text(robot, i, 1))] = c.robot_state_position(robot, i);
    bodies.push(...obstacles.map(({ name, parts, pose }) => ({ name, role: 'obstacle', parts, ...(pose ? { pose } : {}) })));
    const record = { apart_recording: 1, kind: 'clearance', title: m.text(c.robot_name(robot)), units: { length: 'm' }, shapes: file.shapes, bodies,
      robot: { name: m.text(c.robot_name(robot)), links, joints, variables, pairs: [], states }, frames: [{ t: 0, poses: bodies.map(() => null), pairs: [] }] };
    const offset = bodies.length - obstacles.length;
    obstacles.forEach(({ pose }, i) => { record.frames[0].poses[offset + i] = pose ?? [0, 0, 0, 0, 0, 0, 1]; });
    record.robot.pairs = pairsOf(file, robot, record);
    const notes = Array.from({ length: c.robot_note_count(robot) }, (_, i) => m.text(c.robot_note(robot, i)));
    return { record, notes };
  } finally {
    c.robot_free(robot);
    c.files_clear();
    c.release(out);
  }
}

/* The pairs of the file's own robot among the obstacles: what an SRDF leaves out is not among them. */
function pairsOf(file, robot, record) {
  const { m } = file;
  const { c } = m;
  const shapes = record.shapes.map((shape) => (shape.mesh ? null : shapeOf(file.apart, shape)));
  const outer = Object.create(RobotCell.prototype);
  Object.assign(outer, { m, record, shapes, owned: [], meshes: new Map(), robot });
  outer.numbers = outer.room(8 * 32);
  outer.cell = outer.draftCell();
  outer.readBodies();
  const pairs = outer.pairs.map(([a, b]) => [a, b]);
  outer.robot = 0; /* the file's */
  outer.free();
  for (const shape of shapes) shape?.free();
  return pairs;
}
