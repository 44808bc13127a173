/* From hulls of the library to meshes on the screen: flat faces with all their edges, or smooth ones where a curved body was sampled. */
import * as THREE from 'three';

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

const normalOf = (xyz, face) => {
  const n = new THREE.Vector3();
  for (let i = 0; i < face.length; i++) {
    const p = 3 * face[i];
    const q = 3 * face[(i + 1) % face.length];
    n.x += (xyz[p + 1] - xyz[q + 1]) * (xyz[p + 2] + xyz[q + 2]);
    n.y += (xyz[p + 2] - xyz[q + 2]) * (xyz[p] + xyz[q]);
    n.z += (xyz[p] - xyz[q]) * (xyz[p + 1] + xyz[q + 1]);
  }
  return n; /* as long as twice the area */
};

/* For each vertex its faces, for each edge both its faces. */
function topology(vertexCount, faces) {
  const around = Array.from({ length: vertexCount }, () => []);
  const edges = new Map();
  faces.forEach((face, f) => face.forEach((v, i) => {
    around[v].push(f);
    const w = face[(i + 1) % face.length];
    const key = v < w ? v * vertexCount + w : w * vertexCount + v;
    const edge = edges.get(key);
    if (edge) edge[3] = f;
    else edges.set(key, [v, w, f, -1]);
  }));
  return { around, edges };
}

/* The corner's normal: of all faces at the vertex that are nearly coplanar with this one. */
function cornerNormal(normals, units, around, f, cosine) {
  const sum = new THREE.Vector3();
  for (const g of around) if (g === f || units[g].dot(units[f]) > cosine) sum.add(normals[g]);
  return sum.normalize();
}

/* smooth: degrees below which neighbours blend and their edge is not drawn; 0: flat faces, all edges. */
export function meshOfFaces(xyz, faces, smooth) {
  const cosine = smooth > 0 ? Math.cos(THREE.MathUtils.degToRad(smooth)) : 2;
  const normals = faces.map((face) => normalOf(xyz, face));
  const units = normals.map((n) => n.clone().normalize());
  const { around, edges } = topology(xyz.length / 3, faces);
  const position = [];
  const normal = [];
  faces.forEach((face, f) => {
    const corners = smooth > 0 ? face.map((v) => cornerNormal(normals, units, around[v], f, cosine)) : face.map(() => units[f]);
    for (let i = 1; i + 1 < face.length; i++) {
      for (const k of [0, i, i + 1]) {
        position.push(xyz[3 * face[k]], xyz[3 * face[k] + 1], xyz[3 * face[k] + 2]);
        normal.push(corners[k].x, corners[k].y, corners[k].z);
      }
    }
  });
  const lines = [];
  for (const [v, w, f, g] of edges.values()) {
    if (g < 0 || smooth === 0 || units[f].dot(units[g]) < cosine) lines.push(...xyz.subarray(3 * v, 3 * v + 3), ...xyz.subarray(3 * w, 3 * w + 3));
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.Float32BufferAttribute(position, 3));
  geometry.setAttribute('normal', new THREE.Float32BufferAttribute(normal, 3));
  return { geometry, lines: new Float32Array(lines) };
}

export function meshOfPoints(apart, points, smooth) {
  const hull = apart.hullOfPoints(points);
  const mesh = hull.dimension >= 2 ? meshOfFaces(hull.vertices(), hull.faces(), smooth)
    : { geometry: new THREE.BufferGeometry(), lines: hull.dimension === 1 ? new Float32Array(hull.vertices()) : new Float32Array(0) };
  mesh.corners = hull.vertices();
  hull.free();
  return mesh;
}

/* The convex polygon of points in the plane, counter-clockwise (monotone chain). */
export function outline(points) {
  const list = [];
  for (let i = 0; i < points.length; i += 3) list.push([points[i], points[i + 1]]);
  list.sort((p, q) => p[0] - q[0] || p[1] - q[1]);
  const turn = (o, p, q) => (p[0] - o[0]) * (q[1] - o[1]) - (p[1] - o[1]) * (q[0] - o[0]);
  const half = (sorted) => {
    const chain = [];
    for (const p of sorted) {
      while (chain.length > 1 && turn(chain.at(-2), chain.at(-1), p) <= 0) chain.pop();
      chain.push(p);
    }
    chain.pop();
    return chain;
  };
  const ring = [...half(list), ...half(list.reverse())];
  return ring.length > 0 ? ring : list.slice(0, 1);
}

export function meshOfOutline(ring) {
  const xyz = new Float64Array(ring.flatMap(([x, y]) => [x, y, 0]));
  const lines = [];
  ring.forEach((p, i) => lines.push(p[0], p[1], 0, ...ring[(i + 1) % ring.length], 0));
  const mesh = ring.length > 2 ? meshOfFaces(xyz, [ring.map((_, i) => i)], 0) : { geometry: new THREE.BufferGeometry() };
  return { geometry: mesh.geometry, lines: new Float32Array(lines), corners: xyz };
}
