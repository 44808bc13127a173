/* From points to meshes on the screen: flat faces with all their edges, or smooth ones where a curved body was sampled. */
import { Shell } from './shell.js';

/* n directions evenly on the unit sphere, on a spiral. */
export function sphereDirections(n) {
  const out = new Float64Array(3 * n);
  const golden = Math.PI * (3 - Math.sqrt(5));
  for (let i = 0; i < n; i++) {
    const z = 1 - (2 * i + 1) / n;
    const r = Math.sqrt(Math.max(0, 1 - z * z));
    out.set([r * Math.cos(golden * i), r * Math.sin(golden * i), z], 3 * i);
  }
  return out;
}

/* So many points of a circle around z. */
export function ring(radius, z, count) {
  return Float64Array.from({ length: 3 * count }, (_, i) => {
    const angle = (2 * Math.PI * Math.floor(i / 3)) / count;
    return [radius * Math.cos(angle), radius * Math.sin(angle), z][i % 3];
  });
}

/* A shell that stays as it is, with its corners, xyz after xyz. */
function meshOfHull(hull, smooth) {
  const shell = new Shell();
  shell.set(hull, smooth);
  return Object.assign(shell, { corners: hull.xyz.slice(0, 3 * hull.vertexCount) });
}

/* Polygons as they are, convex or not, smooth as in Shell; lists of corners and of the corners of each face. */
export function meshOfFaces(vertices, faces, smooth) {
  const faceStart = new Uint32Array(faces.length + 1);
  faces.forEach((face, f) => { faceStart[f + 1] = faceStart[f] + face.length; });
  const all = { xyz: Float64Array.from(vertices.flat()), vertexCount: vertices.length, faceStart, faceVertex: Uint32Array.from(faces.flat()), faceCount: faces.length, dimension: 3 };
  return meshOfHull(all, smooth);
}

/* What the call makes of the hull of points. */
export function withHull(apart, points, call) {
  const work = apart.hullWork();
  const count = points.length / 3;
  work.reserve(count);
  for (let i = 0; i < count; i++) work.put(i, points[3 * i], points[3 * i + 1], points[3 * i + 2]);
  try {
    work.build(count);
    return call(work);
  } finally {
    work.free();
  }
}

/* The hull of points; smooth as in Shell. */
export const meshOfPoints = (apart, points, smooth) => withHull(apart, points, (hull) => meshOfHull(hull, smooth));

/* Convex polygons in the plane, one after another, as a hull's arrays that are used again: the monotone chain of Andrew 1979. */
export class PlaneHull {
  constructor() {
    this.points = null;
    this.order = new Uint32Array(0);
    this.chain = new Uint32Array(0);
    this.xyz = new Float64Array(0);
    this.faceVertex = new Uint32Array(0);
    this.faceStart = new Uint32Array(2);
    this.vertexCount = this.faceCount = this.dimension = 0;
  }

  /* Of so many points, xyz after xyz from a place in the array on; z is not looked at. */
  build(points, first, count) {
    if (this.order.length < count) {
      this.order = new Uint32Array(count);
      this.chain = new Uint32Array(2 * count + 1);
      this.xyz = new Float64Array(3 * count);
      this.faceVertex = Uint32Array.from({ length: count }, (_, i) => i);
    }
    this.points = points;
    for (let i = 0; i < count; i++) this.order[i] = first + 3 * i;
    this.sort(count);
    const last = this.half(count, 0, 1);
    this.take(this.half(count, last, -1) || 1); /* one point has neither half */
  }

  /* Left of the other, or below it. */
  isBefore(i, j) {
    const p = this.points;
    return p[i] < p[j] || (p[i] === p[j] && p[i + 1] < p[j + 1]);
  }

  /* A heap: the arrays' own sort takes memory. */
  sort(count) {
    const { order } = this;
    for (let i = (count >> 1) - 1; i >= 0; i--) this.sink(i, count);
    for (let end = count - 1; end > 0; end--) {
      const top = order[0];
      order[0] = order[end];
      order[end] = top;
      this.sink(0, end);
    }
  }

  sink(from, end) {
    const { order } = this;
    const sinking = order[from];
    let at = from;
    for (let next = 2 * at + 1; next < end; next = 2 * at + 1) {
      if (next + 1 < end && this.isBefore(order[next], order[next + 1])) next += 1;
      if (!this.isBefore(sinking, order[next])) break;
      order[at] = order[next];
      at = next;
    }
    order[at] = sinking;
  }

  /* How far the way from o over p to q bends to the left. */
  turn(o, p, q) {
    const { points: x } = this;
    return (x[p] - x[o]) * (x[q + 1] - x[o + 1]) - (x[p + 1] - x[o + 1]) * (x[q] - x[o]);
  }

  /* One half of the outline, behind what is in the chain; its end, with which the other half begins, is left out. */
  half(count, start, step) {
    const { order, chain } = this;
    let size = start;
    for (let i = 0; i < count; i++) {
      const p = order[step > 0 ? i : count - 1 - i];
      while (size > start + 1 && this.turn(chain[size - 2], chain[size - 1], p) <= 0) size -= 1;
      chain[size++] = p;
    }
    return size - 1;
  }

  /* Fewer than three corners have no face. */
  take(count) {
    for (let i = 0; i < count; i++) {
      this.xyz[3 * i] = this.points[this.chain[i]];
      this.xyz[3 * i + 1] = this.points[this.chain[i] + 1];
    }
    this.vertexCount = count;
    this.dimension = Math.min(2, count - 1);
    this.faceCount = count > 2 ? 1 : 0;
    this.faceStart[1] = count > 2 ? count : 0;
  }
}

export function meshOfOutline(points) {
  const hull = new PlaneHull();
  hull.build(points, 0, points.length / 3);
  return meshOfHull(hull, 0);
}

/* Triangles that are not a hull's, each shaded as it lies. */
export function flatTriangles(position, line) {
  const normal = new Float32Array(position.length);
  for (let i = 0; i < position.length; i += 9) {
    const [ax, ay, az, bx, by, bz] = [3, 4, 5, 6, 7, 8].map((k) => position[i + k] - position[i + k % 3]);
    const n = [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx];
    const length = Math.hypot(...n) || 1;
    for (let k = 0; k < 9; k++) normal[i + k] = n[k % 3] / length;
  }
  return { position, normal, line, triangles: position.length / 9, lines: line.length / 6, version: 0 };
}
