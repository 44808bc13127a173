/* The set of all differences b - a of two bodies as a mesh, at given rotations and around the origin: the sum of B and the mirror image of A.
 * When a body turns this is made every frame, into buffers that are used again.
 *
 * The faces of a sum P + Q are those of P, each moved by the vertex of Q that is farthest along its normal, those of Q likewise, and a
 * parallelogram for each arc of P's Gauss map that crosses one of Q's (polytope.js). An arc of Q is followed through P's regions: it starts
 * in that of the vertex of P that is farthest along its first node, and leaves a region by crossing one of the arcs around it.
 *
 * Parallel faces and edges have nodes and arcs that coincide. So Q is turned a little before anything is compared: then they cross somewhere,
 * and what was one face comes in pieces that lie in one plane, without a line between them (shell.js). Corners are where they are without
 * that. */
import { polytopeOf } from './polytope.js';
import { SMOOTH } from './bodies.js';
import { room, Shell } from './shell.js';

/* By this angle, about an axis that is like no other. A wrong choice among faces that are nearly parallel moves the surface by no more. */
const TURN = 1e-6;
const AXIS = [0.5377, 0.2913, 0.7911].map((x, _, v) => x / Math.hypot(...v));
/* Pairs of arcs that cross, for each side of both: room for so many is there from the start. Two cylinders that stand on parallel planes
 * have 2.2. */
const CROSSINGS = 2.5;
/* In the plane, sines below this count as none. */
const PARALLEL = 1e-5;

/* out = m v for all of them, xyz after xyz. */
function turnAll(m, v, out) {
  for (let i = 0; i < v.length; i += 3) {
    const x = v[i];
    const y = v[i + 1];
    const z = v[i + 2];
    out[i] = m[0] * x + m[1] * y + m[2] * z;
    out[i + 1] = m[3] * x + m[4] * y + m[5] * z;
    out[i + 2] = m[6] * x + m[7] * y + m[8] * z;
  }
}

/* A hull that grows face by face. */
class Growing {
  constructor() {
    this.xyz = new Float64Array(0);
    this.faceStart = new Uint32Array(0);
    this.faceVertex = new Uint32Array(0);
    this.vertexCount = this.faceCount = this.dimension = 0;
  }

  /* So that frames need not. */
  reserve(faces, corners) {
    this.xyz = room(this.xyz, 3 * corners);
    this.faceStart = room(this.faceStart, faces + 2);
    this.faceVertex = room(this.faceVertex, corners);
  }

  begin(dimension) {
    this.dimension = dimension;
    this.vertexCount = this.faceCount = 0;
    this.faceStart = room(this.faceStart, 1);
    this.faceStart[0] = 0;
  }

  addVertex(x, y, z) {
    const at = 3 * this.vertexCount;
    if (this.xyz.length < at + 3) this.xyz = room(this.xyz, at + 3);
    this.xyz[at] = x;
    this.xyz[at + 1] = y;
    this.xyz[at + 2] = z;
    return this.vertexCount++;
  }

  /* The face that is being made gets one more corner; then it is closed. */
  addCorner(v) {
    const at = this.faceStart[this.faceCount + 1]++;
    if (this.faceVertex.length <= at) this.faceVertex = room(this.faceVertex, at + 1);
    this.faceVertex[at] = v;
  }

  openFace() {
    const { faceCount } = this;
    if (this.faceStart.length < faceCount + 2) this.faceStart = room(this.faceStart, faceCount + 2);
    this.faceStart[faceCount + 1] = this.faceStart[faceCount];
  }

  closeFace() { this.faceCount += 1; }
}

/* P + Q in space. */
class Sum extends Growing {
  constructor(p, q) {
    super();
    this.p = p;
    this.q = q;
    this.smooth = p.curved || q.curved ? SMOOTH : 0;
    this.way = new Float64Array(q.way.length); /* of Q, seen from P */
    this.normal = new Float64Array(q.normal.length);
    this.xyzP = new Float64Array(p.xyz.length); /* in the world */
    this.xyzQ = new Float64Array(q.xyz.length);
    this.farP = new Uint32Array(q.nodeCount); /* the farthest vertex along each node of the other */
    this.farQ = new Uint32Array(p.nodeCount);
    this.vertex = new Int32Array(p.vertexCount * q.vertexCount); /* of the sum, behind `first`; what is below is of an earlier frame */
    this.first = 1;
    this.relative = new Float64Array(9);
    this.turned = new Float64Array(9);
    this.little = rotation(AXIS, TURN);
    const crossings = Math.min(p.from.length * q.from.length, CROSSINGS * (p.from.length + q.from.length));
    this.mostFaces = p.faceCount + q.faceCount + crossings;
    this.mostCorners = p.faceVertex.length + q.faceVertex.length + 4 * crossings;
    this.reserve(this.mostFaces, this.mostCorners);
  }

  build(rotationP, rotationQ) {
    const { p, q, relative } = this;
    this.first += this.vertexCount;
    if (this.first > 1e9) {
      this.vertex.fill(0);
      this.first = 1;
    }
    for (let i = 0; i < 3; i++) {
      for (let j = 0; j < 3; j++) this.turned[3 * i + j] = rotationP[i] * rotationQ[j] + rotationP[3 + i] * rotationQ[3 + j] + rotationP[6 + i] * rotationQ[6 + j];
    }
    for (let i = 0; i < 9; i += 3) {
      for (let j = 0; j < 3; j++) relative[i + j] = this.little[i] * this.turned[j] + this.little[i + 1] * this.turned[3 + j] + this.little[i + 2] * this.turned[6 + j];
    }
    turnAll(relative, q.way, this.way);
    turnAll(relative, q.normal, this.normal);
    turnAll(rotationP, p.xyz, this.xyzP);
    turnAll(rotationQ, q.xyz, this.xyzQ);
    this.begin(Math.min(3, p.dimension + q.dimension));
    if (this.dimension < 2) this.addEnds();
    else {
      this.locate(q.nodeCount, this.normal, this.farP, p, p.way);
      this.locate(p.nodeCount, p.normal, this.farQ, q, this.way);
      this.addFacesOfP();
      this.addFacesOfQ();
      this.addCrossings();
    }
  }

  /* A segment and a point, or two points, have no arc that another crosses. */
  addEnds() {
    this.vertexOf(0, 0);
    this.vertexOf(this.p.vertexCount - 1, this.q.vertexCount - 1);
  }

  /* For each node the farthest vertex of a polytope, up along its edges from where the last frame found it. Rounding may not go round in
   * circles: no way is longer than there are vertices. */
  locate(count, normals, far, { sideStart, to, vertexCount }, way) {
    for (let i = 0; i < count; i++) {
      const x = normals[3 * i];
      const y = normals[3 * i + 1];
      const z = normals[3 * i + 2];
      let v = far[i];
      for (let before = -1, steps = 0; v !== before && steps < vertexCount; steps++) {
        before = v;
        let most = 0;
        const end = sideStart[before + 1];
        for (let s = sideStart[before]; s < end; s++) {
          const up = x * way[3 * s] + y * way[3 * s + 1] + z * way[3 * s + 2];
          if (up > most) {
            most = up;
            v = to[s];
          }
        }
      }
      far[i] = v;
    }
  }

  /* The vertex that is the sum of two. */
  vertexOf(i, j) {
    const at = i * this.q.vertexCount + j;
    const known = this.vertex[at] - this.first;
    if (known >= 0) return known;
    const { xyzP, xyzQ } = this;
    const v = this.addVertex(xyzP[3 * i] + xyzQ[3 * j], xyzP[3 * i + 1] + xyzQ[3 * j + 1], xyzP[3 * i + 2] + xyzQ[3 * j + 2]);
    this.vertex[at] = this.first + v;
    return v;
  }

  addFacesOfP() {
    const { farQ, p: { faceCount, faceStart, faceVertex } } = this;
    for (let f = 0; f < faceCount; f++) {
      this.openFace();
      for (let i = faceStart[f]; i < faceStart[f + 1]; i++) this.addCorner(this.vertexOf(faceVertex[i], farQ[f]));
      this.closeFace();
    }
  }

  addFacesOfQ() {
    const { farP, q: { faceCount, faceStart, faceVertex } } = this;
    for (let f = 0; f < faceCount; f++) {
      this.openFace();
      for (let i = faceStart[f]; i < faceStart[f + 1]; i++) this.addCorner(this.vertexOf(farP[f], faceVertex[i]));
      this.closeFace();
    }
  }

  addCrossings() {
    const { p, q, farP } = this;
    for (let e = 0; e < q.from.length; e++) {
      if (q.from[e] > q.to[e]) continue; /* each arc once */
      let v = farP[q.left[e]];
      for (let steps = 0; steps < p.vertexCount; steps++) {
        const s = this.exitOf(v, e);
        if (s < 0) break;
        this.addParallelogram(v, s, e);
        v = p.to[s];
      }
    }
  }

  /* The side of P's vertex v across which arc e of Q leaves its region: -1 where it ends inside. */
  exitOf(v, e) {
    const { p, q, normal } = this;
    const l = 3 * q.left[e];
    const r = 3 * q.right[e];
    const end = p.sideStart[v + 1];
    for (let s = p.sideStart[v]; s < end; s++) {
      const x = p.way[3 * s];
      const y = p.way[3 * s + 1];
      const z = p.way[3 * s + 2];
      if (normal[l] * x + normal[l + 1] * y + normal[l + 2] * z >= 0 || normal[r] * x + normal[r + 1] * y + normal[r + 2] * z <= 0) continue;
      if (this.isAlong(3 * p.left[s], 3 * e) && !this.isAlong(3 * p.right[s], 3 * e)) return s;
    }
    return -1;
  }

  /* Is a node of P on the side of Q's arc to which its edge leads? */
  isAlong(n, e) {
    const { way, p: { normal } } = this;
    return normal[n] * way[e] + normal[n + 1] * way[e + 1] + normal[n + 2] * way[e + 2] > 0;
  }

  addParallelogram(v, s, e) {
    const { p, q } = this;
    this.openFace();
    this.addCorner(this.vertexOf(v, q.from[e]));
    this.addCorner(this.vertexOf(p.to[s], q.from[e]));
    this.addCorner(this.vertexOf(p.to[s], q.to[e]));
    this.addCorner(this.vertexOf(v, q.to[e]));
    this.closeFace();
  }
}

/* Rows of the rotation by an angle about a unit vector. */
function rotation([x, y, z], angle) {
  const s = Math.sin(angle);
  const c = 1 - Math.cos(angle);
  return Float64Array.of(1 - c * (y * y + z * z), c * x * y - s * z, c * x * z + s * y, c * x * y + s * z, 1 - c * (x * x + z * z), c * y * z - s * x, c * x * z - s * y, c * y * z + s * x, 1 - c * (x * x + y * y));
}

/* P + Q in the plane: the edges of both in the order of their directions, from the leftmost corners on. */
class PlaneSum extends Growing {
  constructor(p, q) {
    super();
    this.p = p;
    this.q = q;
    this.smooth = 0;
    this.xyzP = new Float64Array(p.xyz.length);
    this.xyzQ = new Float64Array(q.xyz.length);
    this.mostFaces = 1;
    this.mostCorners = p.count + q.count;
    this.reserve(this.mostFaces, this.mostCorners);
  }

  build(rotationP, rotationQ) {
    const { xyzP, xyzQ } = this;
    turnAll(rotationP, this.p.xyz, xyzP);
    turnAll(rotationQ, this.q.xyz, xyzQ);
    const edgesP = this.p.count > 1 ? this.p.count : 0;
    const edgesQ = this.q.count > 1 ? this.q.count : 0;
    const firstP = this.leftmost(xyzP);
    const firstQ = this.leftmost(xyzQ);
    this.begin(2);
    this.openFace();
    for (let i = 0, j = 0; ;) {
      const p = 3 * ((firstP + i) % this.p.count);
      const q = 3 * ((firstQ + j) % this.q.count);
      this.addCorner(this.addVertex(xyzP[p] + xyzQ[q], xyzP[p + 1] + xyzQ[q + 1], 0));
      const bend = i === edgesP ? -1 : j === edgesQ ? 1 : this.bendBetween(p, q);
      if (bend >= -PARALLEL && i < edgesP) i += 1;
      if (bend <= PARALLEL && j < edgesQ) j += 1;
      if (i === edgesP && j === edgesQ) break;
    }
    if (this.vertexCount > 2) this.closeFace();
    else this.dimension = this.vertexCount - 1;
  }

  leftmost(xyz) {
    let first = 0;
    for (let i = 3; i < xyz.length; i += 3) if (xyz[i] < xyz[3 * first] || (xyz[i] === xyz[3 * first] && xyz[i + 1] < xyz[3 * first + 1])) first = i / 3;
    return first;
  }

  /* The sine of the angle from the edge of P at one corner to that of Q at another. */
  bendBetween(p, q) {
    const { xyzP, xyzQ } = this;
    const nextP = p + 3 < xyzP.length ? p + 3 : 0;
    const nextQ = q + 3 < xyzQ.length ? q + 3 : 0;
    const x = xyzP[nextP] - xyzP[p];
    const y = xyzP[nextP + 1] - xyzP[p + 1];
    const u = xyzQ[nextQ] - xyzQ[q];
    const v = xyzQ[nextQ + 1] - xyzQ[q + 1];
    return (x * v - y * u) / Math.sqrt((x * x + y * y) * (u * u + v * v));
  }
}

const isPoint = ({ coreCorners }) => coreCorners !== null && coreCorners.length === 3;
const roundingOf = ({ core, shape }) => (core === shape ? 0 : shape.radius);

export class Difference {
  constructor(apart) {
    this.apart = apart;
    this.shells = { shape: new Shell(), core: new Shell() };
    this.sums = { shape: null, core: null };
  }

  /* Other bodies; the rounding of both goes to one that is a point without it, because that makes a ball. */
  set(bodies) {
    const { apart } = this;
    const rounding = roundingOf(bodies[0]) + roundingOf(bodies[1]);
    const first = isPoint(bodies[0]);
    const make = (a, b) => {
      const p = polytopeOf(apart, bodies[0], -1, a);
      const q = polytopeOf(apart, bodies[1], 1, b);
      return bodies[0].dim === 2 ? new PlaneSum(p, q) : new Sum(p, q);
    };
    if (bodies[0].plane || bodies[1].plane) return;
    this.sums.shape = make(first ? rounding : 0, first ? 0 : rounding);
    this.sums.core = rounding > 0 ? make(0, 0) : null;
    for (const part of ['shape', 'core']) if (this.sums[part]) this.shells[part].reserve(this.sums[part].mostFaces, this.sums[part].mostCorners);
  }

  /* part: 'shape', or 'core', which is without rounding. */
  make(rotations, part) {
    const sum = this.sums[part];
    const shell = this.shells[part];
    sum.build(rotations[0], rotations[1]);
    shell.set(sum, sum.smooth);
    return shell;
  }
}
