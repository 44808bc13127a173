/* A convex body as the difference needs it: a polytope with its Gauss map on the unit sphere.
 *
 * The map has a node for each face, its normal, and an arc for each edge, between the normals of the two faces beside it; each vertex owns
 * the region of directions in which it is the farthest. An arc lies in the plane across its edge and runs from the node on the edge's left to
 * the one on its right, counter-clockwise about the edge's direction, over less than half a circle. Where a body is flat or a segment that
 * would be half a circle or more, so such arcs are cut by nodes that are not a face. */
import { CIRCLE } from './bodies.js';
import { PlaneHull, ring, sphereDirections, withHull } from './geometry.js';

const DIRECTIONS = sphereDirections(700);
const RING = 48;
/* Hulls of more vertices than this are sampled. */
const MOST_VERTICES = 400;

/* Points whose hull is near enough to the core of a body, rounded by a radius; and whether that is a polytope as it is. */
function pointsOf({ core, coreCorners, word, numbers, dim }, radius) {
  if (radius === 0) {
    if (coreCorners) return { points: coreCorners, curved: false };
    const [r, h] = numbers;
    if (word === 'cylinder') return { points: Float64Array.from([...ring(r, -h, RING), ...ring(r, h, RING)]), curved: true };
    if (word === 'cone') return { points: Float64Array.from([...ring(r, -h, RING), 0, 0, h]), curved: true };
  }
  return { points: sampled(core, dim, radius), curved: true };
}

function sampled(core, dim, radius) {
  const directions = dim === 2 ? CIRCLE : DIRECTIONS;
  return core.supports(directions).map((x, i) => x + radius * directions[i]);
}

const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (v) => v.map((x) => x / (Math.hypot(...v) || 1));

class Polytope {
  constructor({ xyz, faceStart, faceVertex, faceCount, vertexCount, dimension }, curved) {
    this.curved = curved;
    this.dimension = dimension;
    this.vertexCount = vertexCount;
    this.xyz = xyz.slice(0, 3 * vertexCount);
    this.faces = Array.from({ length: faceCount }, (_, f) => Array.from(faceVertex.subarray(faceStart[f], faceStart[f + 1])));
    this.nodes = this.faces.map((face) => this.normalOf(face));
    this.sides = []; /* of one vertex each: { from, to, way, left, right } */
    if (dimension === 1) this.cutCircle();
    if (dimension === 2) this.cutHalves();
    if (dimension === 3) this.joinFaces();
    this.pack();
  }

  at(v) { return Array.from(this.xyz.subarray(3 * v, 3 * v + 3)); }

  wayFrom(v, w) { return unit(this.at(w).map((x, k) => x - this.at(v)[k])); }

  normalOf(face) {
    const n = [0, 0, 0];
    face.forEach((v, i) => {
      const [p, q] = [this.at(v), this.at(face[(i + 1) % face.length])];
      for (let k = 0; k < 3; k++) n[k] += (p[(k + 1) % 3] - q[(k + 1) % 3]) * (p[(k + 2) % 3] + q[(k + 2) % 3]);
    });
    return unit(n);
  }

  addSides(from, to, way, left, right) {
    this.sides.push({ from, to, way, left, right }, { from: to, to: from, way: way.map((x) => -x), left: right, right: left });
  }

  /* A segment: all directions across it, by four arcs. */
  cutCircle() {
    const way = this.wayFrom(0, 1);
    const least = way.map(Math.abs).indexOf(Math.min(...way.map(Math.abs)));
    const u = unit(cross(way, [0, 1, 2].map((k) => (k === least ? 1 : 0))));
    const v = cross(way, u);
    this.nodes = [u, v, u.map((x) => -x), v.map((x) => -x)];
    for (let k = 0; k < 4; k++) this.addSides(0, 1, way, k, (k + 1) % 4);
  }

  /* A polygon: its two faces, and a node half-way between them for each edge. */
  cutHalves() {
    const [face] = this.faces;
    const [n] = this.nodes;
    this.faces = [face, [...face].reverse()];
    this.nodes = [n, n.map((x) => -x)];
    face.forEach((v, i) => {
      const w = face[(i + 1) % face.length];
      const way = this.wayFrom(v, w);
      const middle = this.nodes.push(cross(way, n)) - 1;
      this.addSides(v, w, way, 0, middle);
      this.addSides(v, w, way, middle, 1);
    });
  }

  joinFaces() {
    const left = new Map();
    const key = (v, w) => v * this.vertexCount + w;
    const each = (call) => this.faces.forEach((face, f) => face.forEach((v, i) => call(v, face[(i + 1) % face.length], f)));
    each((v, w, f) => left.set(key(v, w), f));
    each((v, w, f) => { if (v < w) this.addSides(v, w, this.wayFrom(v, w), f, left.get(key(w, v))); });
  }

  /* Into arrays: the sides of vertex v are those from sideStart[v] to sideStart[v + 1]. */
  pack() {
    const { sides, vertexCount } = this;
    sides.sort((p, q) => p.from - q.from);
    this.sideStart = new Uint32Array(vertexCount + 1);
    for (const { from } of sides) this.sideStart[from + 1] += 1;
    for (let v = 0; v < vertexCount; v++) this.sideStart[v + 1] += this.sideStart[v];
    this.from = Uint32Array.from(sides, (side) => side.from);
    this.to = Uint32Array.from(sides, (side) => side.to);
    this.left = Uint32Array.from(sides, (side) => side.left);
    this.right = Uint32Array.from(sides, (side) => side.right);
    this.way = Float64Array.from(sides.flatMap((side) => side.way));
    this.normal = Float64Array.from(this.nodes.flat());
    this.nodeCount = this.nodes.length;
    this.faceCount = this.faces.length;
    this.faceStart = new Uint32Array(this.faceCount + 1);
    this.faces.forEach((face, f) => { this.faceStart[f + 1] = this.faceStart[f] + face.length; });
    this.faceVertex = Uint32Array.from(this.faces.flat());
    delete this.sides;
    delete this.nodes;
    delete this.faces;
  }
}

/* Convex outlines in the plane, counter-clockwise. */
function outlineOf(points) {
  const hull = new PlaneHull();
  hull.build(points, 0, points.length / 3);
  return { curved: false, count: hull.vertexCount, xyz: hull.xyz.slice(0, 3 * hull.vertexCount) };
}

/* A body's core, or with sign -1 its mirror image through the origin, rounded by a radius. Made once a body. */
export function polytopeOf(apart, body, sign, radius) {
  const key = sign * (1 + radius);
  if (body.polytopes.has(key)) return body.polytopes.get(key);
  const { points, curved } = pointsOf(body, radius);
  const mirrored = (list) => list.map((x) => sign * x);
  let made;
  if (body.dim === 2) made = outlineOf(mirrored(points));
  else {
    made = withHull(apart, mirrored(points), (hull) => (curved || hull.vertexCount <= MOST_VERTICES ? new Polytope(hull, curved) : null));
    made ??= withHull(apart, mirrored(sampled(body.core, 3, 0)), (hull) => new Polytope(hull, true));
  }
  body.polytopes.set(key, made);
  return made;
}
