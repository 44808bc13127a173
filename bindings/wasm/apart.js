/* apart for JavaScript: the C library as WebAssembly, same bits as everywhere.
 *
 *     const apart = await load(bytes);                      // apart.wasm; in node: await readFile('apart.wasm')
 *     const a = apart.shape('box:0.5,1,0.25'), b = apart.hull(points);
 *     const pair = apart.pair(a, b);
 *     pair.poseB(3, 0, 0);                                  // position, then a quaternion x, y, z, w
 *     pair.distance().distance                              // signed; lower <= true value <= upper
 *
 * Structures live in the module's memory (apart_wasm.c tells their layout), and a query writes its answer into one object that the pair
 * keeps, so that a loop of queries makes no garbage. Types and documentation of every call: apart.d.ts. */

const fields = ['shapeSize', 'poseSize', 'optionsSize', 'cacheSize', 'resultSize', 'traceSize', 'stepSize', 'statsSize', 'featureSize',
  'penetrationSize', 'proofSize', 'meshSize', 'errorSize',
  'solver', 'support', 'depth', 'noFallback', 'maxIterations', 'cutoff', 'tolerance', 'trace', 'stats', 'depthCache',
  'distance', 'a', 'normal', 'indexA', 'indexB', 'lambda', 'iterations', 'count',
  'traceSteps', 'traceCapacity', 'traceCount', 'traceOrigin', 'traceRadiusA', 'traceSurface', 'traceSurfaceCapacity', 'traceSurfaceCount',
  'stepCount', 'stepIndexA', 'stepIndexB', 'stepPointA', 'stepPointB', 'stepLambda', 'stepV', 'stepSupportIndexA', 'stepSupportIndexB',
  'stepSupportA', 'stepSupportB', 'stepLower', 'stepUpper', 'stepFallback', 'stepSurface', 'stepSurfaceCount',
  'statsIterations', 'statsSupportCalls', 'statsVisited', 'statsClimbed',
  'featureKind', 'featureCount', 'featureIndex', 'featureNumber',
  'least', 'penetrationNormal', 'exact', 'verdict', 'proofLower', 'proofReason',
  'meshXyz', 'meshVertexCount', 'meshFaceCount', 'shapeStatus', 'shapeDim', 'shapeRadius'];

export const relations = ['disjoint', 'touching', 'overlapping', 'beyond'];
export const stops = ['converged', 'rounding', 'iterations', 'cutoff', 'workspace'];
export const solvers = ['default', 'johnson', 'voronoi', 'geometric', 'least-squares', 'volumes'];
export const supports = ['auto', 'scan', 'climb', 'table'];
export const depths = ['exact', 'bounds', 'none'];
export const featureKinds = ['vertex', 'edge', 'face', 'curved', 'interior'];
export const verdicts = ['proved', 'refuted', 'undecided'];
const NO_INDEX = 0xffffffff;

/* Names as on the command line, and how many parameters; 0: as many as come, in groups. */
const kinds = {
  point: [0, 3], segment: [1, 6], triangle: [2, 9], sphere: [3, 1], box: [4, 3], capsule: [5, 2], cylinder: [6, 2], cone: [7, 2],
  ellipsoid: [8, 3], halfspace: [9, 4], points: [10, 0, 3], point2: [11, 2], segment2: [12, 4], circle: [13, 1], rectangle: [14, 2],
  polygon: [15, 0, 2],
};

export class ApartError extends Error {
  constructor(message, status) {
    super(message);
    this.name = 'ApartError';
    this.status = status;
  }
}

/* "box:1,1,1+0.1" in its parts. */
export function parseShape(text) {
  const match = /^([a-z0-9]+):([^+]*)(?:\+(.*))?$/.exec(text);
  const kind = match && kinds[match[1]];
  if (!kind) throw new ApartError(`${text}: expected a shape such as box:1,1,1 (${Object.keys(kinds).join(', ')})`, 8);
  const numbers = match[2].split(',').map((word) => (word.trim() === '' ? NaN : Number(word)));
  const radius = match[3] === undefined ? 0 : Number(match[3]);
  const wanted = kind[1];
  const fits = wanted > 0 ? numbers.length === wanted : numbers.length > 0 && numbers.length % kind[2] === 0;
  if (!fits) throw new ApartError(`${text}: ${match[1]} takes ${wanted > 0 ? wanted : `groups of ${kind[2]}`} numbers, not ${numbers.length}`, 8);
  if (![...numbers, radius].every(Number.isFinite)) throw new ApartError(`${text}: not all of these are numbers`, 2);
  return { name: match[1], kind: kind[0], numbers, radius };
}

class Module {
  constructor(exports) {
    this.c = exports;
    this.memory = exports.memory;
    this.view();
    const table = new Uint32Array(this.memory.buffer, exports.layout(), exports.layout_size());
    if (table.length !== fields.length) throw new ApartError('apart.js and apart.wasm are of different versions', 16);
    this.at = Object.fromEntries(fields.map((name, i) => [name, table[i]]));
  }

  /* Memory that has grown leaves old views empty. */
  view() {
    if (this.f64 === undefined || this.f64.buffer !== this.memory.buffer) {
      this.f64 = new Float64Array(this.memory.buffer);
      this.u32 = new Uint32Array(this.memory.buffer);
      this.u8 = new Uint8Array(this.memory.buffer);
    }
    return this;
  }

  allocate(size) {
    const pointer = this.c.allocate(size);
    if (pointer === 0) throw new ApartError('out of memory', 13);
    this.view();
    return pointer;
  }

  put(numbers) {
    const pointer = this.allocate(8 * Math.max(numbers.length, 1));
    this.f64.set(numbers, pointer >> 3);
    return pointer;
  }

  putIndices(numbers) {
    const pointer = this.allocate(4 * Math.max(numbers.length, 1));
    this.u32.set(numbers, pointer >> 2);
    return pointer;
  }

  text(pointer) {
    this.view();
    let end = pointer;
    while (this.u8[end] !== 0) end++;
    return new TextDecoder().decode(this.u8.subarray(pointer, end));
  }

  vec(pointer) {
    const i = pointer >> 3;
    return [this.f64[i], this.f64[i + 1], this.f64[i + 2]];
  }

  index(pointer) {
    const value = this.u32[pointer >> 2];
    return value === NO_INDEX ? null : value;
  }

  require(status, what) {
    if (status !== 0) throw new ApartError(`${what}: ${this.text(this.c.status_message(status))}`, status);
  }
}

/* Vertices and faces of a built hull. */
class Hull {
  constructor(m, pointer) {
    this.m = m;
    this.pointer = pointer;
  }

  get dimension() { return this.m.c.hull_dimension(this.pointer); }
  get vertexCount() { return this.m.c.hull_vertex_count(this.pointer); }
  get faceCount() { return this.m.c.hull_face_count(this.pointer); }
  get edgeCount() { return this.m.c.hull_edge_count(this.pointer); }
  get volume() { return this.m.c.hull_volume(this.pointer); }

  vertices() {
    const { m } = this;
    const count = this.vertexCount;
    const pointer = m.allocate(24 * count);
    m.c.hull_vertices(this.pointer, pointer);
    const xyz = m.view().f64.slice(pointer >> 3, (pointer >> 3) + 3 * count);
    m.c.release(pointer);
    return xyz;
  }

  faces() {
    const { m } = this;
    const out = m.allocate(4);
    const list = [];
    for (let f = 0; f < this.faceCount; f++) {
      const count = m.c.hull_face(this.pointer, f, out);
      const start = m.u32[out >> 2] >> 2;
      list.push(Array.from(m.u32.subarray(start, start + count)));
    }
    m.c.release(out);
    return list;
  }

  inputIndex(vertex) { return this.m.c.hull_input_index(this.pointer, vertex); }

  block() {
    return this.m.view().u8.slice(this.pointer, this.pointer + this.m.c.hull_size(this.pointer));
  }

  free() {
    this.m.c.hull_free(this.pointer);
    this.pointer = 0;
  }
}

/* Hulls one after another, into arrays that are used again: no garbage once they are large enough. */
class HullWork {
  constructor(m) {
    this.m = m;
    this.room = 0;
    this.points = 0;
    this.out = m.allocate(4);
    this.dimension = this.vertexCount = this.faceCount = 0;
    this.xyz = new Float64Array(0);
    this.faceStart = new Uint32Array(1);
    this.faceVertex = new Uint32Array(0);
  }

  /* Room for so many points, which `put` then writes. */
  reserve(count) {
    if (count <= this.room) return;
    this.m.c.release(this.points);
    this.room = Math.ceil(1.5 * count);
    this.points = this.m.allocate(48 * this.room); /* in the second half the vertices come back */
  }

  put(i, x, y, z) {
    const { f64 } = this.m.view();
    const at = (this.points >> 3) + 3 * i;
    f64[at] = x;
    f64[at + 1] = y;
    f64[at + 2] = z;
  }

  /* The hull of the first so many points: vertices in xyz, the corners of face f in faceVertex from faceStart[f] to faceStart[f + 1]. */
  build(count) {
    const { m, out } = this;
    m.require(m.c.hull_from_points(this.points, count, out), 'hull');
    const hull = m.view().u32[out >> 2];
    this.read(hull);
    m.c.hull_free(hull);
  }

  read(hull) {
    const { m, out } = this;
    this.dimension = m.c.hull_dimension(hull);
    this.vertexCount = m.c.hull_vertex_count(hull);
    this.faceCount = m.c.hull_face_count(hull);
    if (this.xyz.length < 3 * this.vertexCount) this.xyz = new Float64Array(6 * this.vertexCount);
    if (this.faceStart.length <= this.faceCount) this.faceStart = new Uint32Array(2 * this.faceCount + 1);
    const corners = 2 * m.c.hull_edge_count(hull);
    if (this.faceVertex.length < corners) this.faceVertex = new Uint32Array(2 * corners);
    const vertices = this.points + 24 * this.room;
    m.c.hull_vertices(hull, vertices);
    for (let i = 0; i < 3 * this.vertexCount; i++) this.xyz[i] = m.f64[(vertices >> 3) + i];
    let next = 0;
    for (let f = 0; f < this.faceCount; f++) {
      const size = m.c.hull_face(hull, f, out);
      const first = m.u32[out >> 2] >> 2;
      this.faceStart[f] = next;
      for (let i = 0; i < size; i++) this.faceVertex[next++] = m.u32[first + i];
    }
    this.faceStart[this.faceCount] = next;
  }

  free() {
    for (const pointer of [this.points, this.out]) this.m.c.release(pointer);
  }
}

class Shape {
  constructor(m, pointer, owned, hull) {
    this.m = m;
    this.pointer = pointer;
    this.owned = owned;
    this.hull = hull;
    this.dim = m.view().u8[pointer + m.at.shapeDim];
    this.radius = m.f64[(pointer + m.at.shapeRadius) >> 3];
    this.name = m.text(m.c.shape_name(pointer));
  }

  support(x, y, z) {
    const { m } = this;
    const out = m.allocate(24);
    m.require(m.c.support(this.pointer, x, y, z, out), 'support');
    const point = m.vec(out);
    m.c.release(out);
    return point;
  }

  /* Many directions in one go: xyz after xyz in, points out. */
  supports(directions, points = new Float64Array(directions.length)) {
    const { m } = this;
    const out = m.allocate(24);
    const at = out >> 3;
    for (let i = 0; i + 2 < directions.length; i += 3) {
      m.require(m.c.support(this.pointer, directions[i], directions[i + 1], directions[i + 2], out), 'support');
      for (let k = 0; k < 3; k++) points[i + k] = m.f64[at + k];
    }
    m.c.release(out);
    return points;
  }

  free() {
    for (const pointer of this.owned) this.m.c.release(pointer);
    if (this.hull) this.hull.free();
    this.owned = [];
  }
}

const stepFields = (m, step) => {
  const { at } = m;
  const count = m.u32[(step + at.stepCount) >> 2];
  const simplex = [];
  for (let i = 0; i < count; i++) {
    simplex.push({
      indexA: m.index(step + at.stepIndexA + 4 * i), indexB: m.index(step + at.stepIndexB + 4 * i),
      a: m.vec(step + at.stepPointA + 24 * i), b: m.vec(step + at.stepPointB + 24 * i),
      lambda: m.f64[(step + at.stepLambda + 8 * i) >> 3],
    });
  }
  return {
    simplex, v: m.vec(step + at.stepV),
    support: {
      indexA: m.index(step + at.stepSupportIndexA), indexB: m.index(step + at.stepSupportIndexB),
      a: m.vec(step + at.stepSupportA), b: m.vec(step + at.stepSupportB),
    },
    lower: m.f64[(step + at.stepLower) >> 3], upper: m.f64[(step + at.stepUpper) >> 3],
    fallback: m.u32[(step + at.stepFallback) >> 2] !== 0,
  };
};

/* Two shapes with their poses, options, cache and answer in the module's memory. */
class Pair {
  constructor(m, a, b) {
    const { at } = m;
    this.m = m;
    this.a = a;
    this.b = b;
    const sizes = [2 * at.poseSize, at.optionsSize, at.cacheSize, at.resultSize, at.statsSize, 2 * at.featureSize, at.penetrationSize,
      at.proofSize, 9 * 8];
    this.block = m.allocate(sizes.reduce((sum, size) => sum + 8 * Math.ceil(size / 8), 0));
    let next = this.block;
    const place = (size) => {
      const here = next;
      next += 8 * Math.ceil(size / 8);
      return here;
    };
    [this.poses, this.options, this.cache, this.result, this.stats, this.features_, this.penetration_, this.proof_, this.nine] =
      sizes.map(place);
    this.depthMemory = 0;
    this.counting = false;
    this.answer = {
      distance: 0, lower: 0, upper: 0, a: new Float64Array(3), b: new Float64Array(3), normal: new Float64Array(3), relation: 'disjoint',
      stop: 'converged', iterations: 0, count: 0, indexA: [null, null, null, null], indexB: [null, null, null, null],
      lambda: new Float64Array(4), fallback: false, dim: 3,
    };
    this.counts = { iterations: 0, supportCalls: 0, verticesVisited: 0, edgesClimbed: 0 };
    this.poseA(0, 0, 0);
    this.poseB(0, 0, 0);
  }

  /* From seven numbers, position and quaternion: a Float64Array leaves no garbage. */
  poseNumbers(which, numbers) {
    const { m } = this;
    const { f64 } = m.view();
    for (let i = 0; i < 7; i++) f64[(this.nine >> 3) + i] = numbers[i];
    m.require(m.c.pose_numbers(this.nine, this.poses + which * m.at.poseSize), which === 0 ? 'pose of A' : 'pose of B');
  }

  poseA(x, y, z, qx = 0, qy = 0, qz = 0, qw = 1) { this.poseNumbers(0, [x, y, z, qx, qy, qz, qw]); }
  poseB(x, y, z, qx = 0, qy = 0, qz = 0, qw = 1) { this.poseNumbers(1, [x, y, z, qx, qy, qz, qw]); }

  /* Rows of rotation and translation: r00 r01 r02 tx r10 ... */
  poseRows(which, rows) {
    const { m } = this;
    const { f64 } = m.view();
    for (let i = 0; i < 9; i++) f64[(this.nine >> 3) + i] = rows[i + Math.floor(i / 3)];
    const status = m.c.pose_rows(this.nine, rows[3], rows[7], rows[11], this.poses + which * m.at.poseSize);
    m.require(status, which === 0 ? 'pose of A' : 'pose of B');
  }

  setOptions({ solver = 'default', support = 'auto', depth = 'exact', fallback = true, maxIterations = 0, cutoff = 0, tolerance = 0,
    stats = false } = {}) {
    const { m, options } = this;
    const number = (names, name, what) => {
      const i = names.indexOf(name);
      if (i < 0) throw new ApartError(`unknown ${what} '${name}' (${names.join(', ')})`, 12);
      return i;
    };
    m.view();
    m.u8[options + m.at.solver] = number(solvers, solver, 'solver');
    m.u8[options + m.at.support] = number(supports, support, 'support search');
    m.u8[options + m.at.depth] = number(depths, depth, 'depth');
    m.u8[options + m.at.noFallback] = fallback ? 0 : 1;
    m.u32[(options + m.at.maxIterations) >> 2] = maxIterations;
    m.f64[(options + m.at.cutoff) >> 3] = cutoff;
    m.f64[(options + m.at.tolerance) >> 3] = tolerance;
    m.u32[(options + m.at.stats) >> 2] = stats ? this.stats : 0;
    this.counting = stats;
  }

  ask(cache) {
    const { m } = this;
    const { poseSize, statsSize } = m.at;
    if (this.counting) m.view().u8.fill(0, this.stats, this.stats + statsSize);
    m.require(m.c.distance(this.a.pointer, this.poses, this.b.pointer, this.poses + poseSize, this.options, cache, this.result), 'distance');
    if (this.counting) this.readCounts();
    return this.read();
  }

  readCounts() {
    const { u32, at } = this.m.view();
    this.counts.iterations = u32[(this.stats + at.statsIterations) >> 2];
    this.counts.supportCalls = u32[(this.stats + at.statsSupportCalls) >> 2];
    this.counts.verticesVisited = u32[(this.stats + at.statsVisited) >> 2];
    this.counts.edgesClimbed = u32[(this.stats + at.statsClimbed) >> 2];
  }

  /* From scratch. */
  distance() { return this.ask(0); }

  /* From where the last tracked query of this pair ended. */
  track() { return this.ask(this.cache); }

  forget() { this.m.view().u8.fill(0, this.cache, this.cache + this.m.at.cacheSize); }

  /* The depth of overlapping bodies starts from the last surface too, with room for so many vertices; 0: no longer. */
  trackDepth(vertices = 256) {
    const { m } = this;
    m.c.release(this.depthMemory);
    this.depthMemory = 0;
    let cache = 0;
    if (vertices > 0) {
      const size = m.c.depth_cache_size(vertices);
      const out = m.allocate(4);
      this.depthMemory = m.allocate(size);
      const status = m.c.depth_cache_init(this.depthMemory, size, out);
      cache = m.u32[out >> 2];
      m.c.release(out);
      m.require(status, 'depth cache');
    }
    m.u32[(this.options + m.at.depthCache) >> 2] = cache;
  }

  read() {
    const { m, result, answer } = this;
    const { at } = m;
    m.view();
    let i = (result + at.distance) >> 3;
    answer.distance = m.f64[i];
    answer.lower = m.f64[i + 1];
    answer.upper = m.f64[i + 2];
    i = (result + at.a) >> 3;
    for (let k = 0; k < 3; k++) {
      answer.a[k] = m.f64[i + k];
      answer.b[k] = m.f64[i + 3 + k];
      answer.normal[k] = m.f64[i + 6 + k];
    }
    for (let k = 0; k < 4; k++) {
      answer.indexA[k] = m.index(result + at.indexA + 4 * k);
      answer.indexB[k] = m.index(result + at.indexB + 4 * k);
      answer.lambda[k] = m.f64[((result + at.lambda) >> 3) + k];
    }
    answer.iterations = m.u8[result + at.iterations] | m.u8[result + at.iterations + 1] << 8;
    const bytes = result + at.count;
    answer.count = m.u8[bytes];
    answer.relation = relations[m.u8[bytes + 1]];
    answer.stop = stops[m.u8[bytes + 2]];
    answer.fallback = m.u8[bytes + 4] !== 0;
    answer.dim = m.u8[bytes + 5];
    return answer;
  }

  /* Runs the query so many times, to measure; the cache stays as it is. */
  repeat(times, tracked) {
    const { m } = this;
    m.c.distance_repeat(times, this.a.pointer, this.poses, this.b.pointer, this.poses + m.at.poseSize, this.options, tracked ? this.cache : 0);
  }

  overlap() {
    const { m } = this;
    const out = m.allocate(4);
    const status = m.c.overlap(this.a.pointer, this.poses, this.b.pointer, this.poses + m.at.poseSize, this.options, 0, out);
    const answer = m.u32[out >> 2] !== 0;
    m.c.release(out);
    m.require(status, 'overlap');
    return answer;
  }

  penetrationBounds() {
    const { m, penetration_: p } = this;
    const { at } = m;
    m.require(m.c.penetration_bounds(this.a.pointer, this.poses, this.b.pointer, this.poses + at.poseSize, this.options, 0, p), 'penetration');
    const i = (p + at.least) >> 3;
    return {
      least: m.f64[i], most: m.f64[i + 1], depth: m.f64[i + 2], normal: m.vec(p + at.penetrationNormal),
      exact: m.u8[p + at.exact] !== 0, relation: relations[m.u8[p + at.exact + 1]],
    };
  }

  /* Where the witness points of the last answer lie. */
  features() {
    const { m, features_: f } = this;
    const { at } = m;
    m.require(m.c.features(this.a.pointer, this.poses, this.b.pointer, this.poses + at.poseSize, this.result, f, f + at.featureSize), 'features');
    const one = (p) => ({
      kind: featureKinds[m.u8[p + at.featureKind]], number: m.index(p + at.featureNumber),
      vertices: Array.from({ length: m.u8[p + at.featureCount] }, (_, i) => m.index(p + at.featureIndex + 4 * i)),
    });
    return { a: one(f), b: one(f + at.featureSize) };
  }

  /* The last answer, checked by code that shares nothing with the search. */
  verify() {
    const { m, proof_: p } = this;
    const { at } = m;
    m.require(m.c.verify(this.a.pointer, this.poses, this.b.pointer, this.poses + at.poseSize, this.result, p), 'verify');
    const reason = m.u32[(p + at.proofReason) >> 2];
    return {
      verdict: verdicts[m.u8[p + at.verdict]], lower: m.f64[(p + at.proofLower) >> 3], upper: m.f64[((p + at.proofLower) >> 3) + 1],
      reason: reason === 0 ? '' : m.text(reason),
    };
  }

  /* A query from scratch, and all its steps; the surfaces of a depth search as xyz after xyz. */
  trace({ steps = 1024, surface = 60000 } = {}) {
    const { m } = this;
    const { at } = m;
    const trace = m.allocate(at.traceSize);
    const room = m.allocate(steps * at.stepSize);
    const points = m.allocate(24 * surface);
    m.u32[(trace + at.traceSteps) >> 2] = room;
    m.u32[(trace + at.traceCapacity) >> 2] = steps;
    m.u32[(trace + at.traceSurface) >> 2] = points;
    m.u32[(trace + at.traceSurfaceCapacity) >> 2] = surface;
    m.u32[(this.options + at.trace) >> 2] = trace;
    try {
      const answer = this.ask(0);
      const total = m.u32[(trace + at.traceCount) >> 2];
      const list = [];
      for (let i = 0; i < Math.min(total, steps); i++) {
        const step = room + i * at.stepSize;
        const first = (points >> 3) + 3 * m.u32[(step + at.stepSurface) >> 2];
        list.push({ ...stepFields(m, step), surface: m.f64.slice(first, first + 3 * m.u32[(step + at.stepSurfaceCount) >> 2]) });
      }
      return {
        result: answer, steps: list, total, origin: m.vec(trace + at.traceOrigin),
        radiusA: m.f64[(trace + at.traceRadiusA) >> 3], radiusB: m.f64[((trace + at.traceRadiusA) >> 3) + 1],
      };
    } finally {
      m.u32[(this.options + at.trace) >> 2] = 0;
      for (const pointer of [trace, room, points]) m.c.release(pointer);
    }
  }

  free() {
    for (const pointer of [this.block, this.depthMemory]) this.m.c.release(pointer);
  }
}

class Apart {
  constructor(exports) {
    this.m = new Module(exports);
    this.version = this.m.text(this.m.c.version());
  }

  /* "box:1,1,1+0.1", as on the command line. */
  shape(text) {
    const { m } = this;
    const parsed = parseShape(text);
    const numbers = m.put(parsed.numbers);
    const pointer = m.allocate(m.at.shapeSize);
    const status = m.c.shape_make(pointer, parsed.kind, numbers, parsed.numbers.length, parsed.radius);
    if (status !== 0) {
      m.c.release(numbers);
      m.c.release(pointer);
      m.require(status, text);
    }
    return new Shape(m, pointer, [pointer, numbers], null);
  }

  buildHull(build) {
    const { m } = this;
    const out = m.allocate(4);
    const status = build(out);
    const hull = m.view().u32[out >> 2];
    m.c.release(out);
    m.require(status, 'hull');
    return new Hull(m, hull);
  }

  hullOfPoints(xyz) {
    const { m } = this;
    const points = m.put(xyz);
    try {
      return this.buildHull((out) => m.c.hull_from_points(points, xyz.length / 3, out));
    } finally {
      m.c.release(points);
    }
  }

  hullOfFaces(xyz, faces) {
    const { m } = this;
    const points = m.put(xyz);
    const sizes = m.putIndices(faces.map((face) => face.length));
    const indices = m.putIndices(faces.flat());
    try {
      return this.buildHull((out) => m.c.hull_from_faces(points, xyz.length / 3, sizes, faces.length, indices, out));
    } finally {
      for (const pointer of [points, sizes, indices]) m.c.release(pointer);
    }
  }

  shapeOfHull(hull, radius = 0) {
    const { m } = this;
    const pointer = m.allocate(m.at.shapeSize);
    m.require(m.c.shape_hull(pointer, hull.pointer, radius), 'hull');
    return new Shape(m, pointer, [pointer], hull);
  }

  /* The convex hull of points (xyz after xyz) as a shape. */
  hull(xyz, radius = 0) { return this.shapeOfHull(this.hullOfPoints(xyz), radius); }

  /* A mesh file (OBJ, STL, PLY, OFF, or x y z lines) as its hull. */
  mesh(bytes, name, radius = 0) {
    const { m } = this;
    const { at } = m;
    const data = m.allocate(bytes.length + 1);
    m.u8.set(bytes, data);
    const encoded = new TextEncoder().encode(name);
    const label = m.allocate(encoded.length + 1);
    m.u8.set(encoded, label);
    const mesh = m.allocate(at.meshSize);
    const error = m.allocate(at.errorSize);
    try {
      if (m.c.mesh_read(data, bytes.length, label, mesh, error) !== 0) throw new ApartError(m.text(error), 22);
      m.view();
      const points = m.u32[(mesh + at.meshXyz) >> 2];
      const hull = this.buildHull((out) => m.c.hull_from_points(points, m.u32[(mesh + at.meshVertexCount) >> 2], out));
      const shape = this.shapeOfHull(hull, radius);
      shape.deviation = m.c.mesh_deviation(mesh, hull.pointer);
      return shape;
    } finally {
      m.c.mesh_free(mesh);
      for (const pointer of [data, label, mesh, error]) m.c.release(pointer);
    }
  }

  pair(a, b) { return new Pair(this.m, a, b); }

  /* For hulls of changing points. */
  hullWork() { return new HullWork(this.m); }
}

/* What the module's printing would need; it formats messages into memory and prints nothing. */
const wasi = { fd_close: () => 8, fd_seek: () => 8, fd_write: () => 8 };

/* The library from the bytes of apart.wasm, or a compiled module. */
export async function load(source) {
  const imports = { wasi_snapshot_preview1: wasi };
  const made = await WebAssembly.instantiate(source, imports);
  return new Apart((made.instance ?? made).exports);
}
