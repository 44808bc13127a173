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

/* A mesh that stays as it is: geometry, edges as xyz after xyz from end to end, corners. */
const meshOfShell = (shell) => ({ geometry: shell.geometry, lines: shell.line.subarray(0, 6 * shell.lines), corners: shell.corners });

/* The hull of points; smooth as in Shell. */
export function meshOfPoints(apart, points, smooth) {
  const work = apart.hullWork();
  const shell = new Shell();
  const count = points.length / 3;
  work.reserve(count);
  for (let i = 0; i < count; i++) work.put(i, points[3 * i], points[3 * i + 1], points[3 * i + 2]);
  try {
    work.build(count);
    shell.set(work, smooth);
  } finally {
    work.free();
  }
  return meshOfShell(shell);
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

/* A polygon as a hull's arrays; fewer than three corners have no face. */
export function polygonHull(ring) {
  return {
    xyz: Float64Array.from(ring.flatMap(([x, y]) => [x, y, 0])), vertexCount: ring.length, dimension: Math.min(2, ring.length - 1),
    faceCount: ring.length > 2 ? 1 : 0, faceStart: Uint32Array.of(0, ring.length > 2 ? ring.length : 0), faceVertex: Uint32Array.from(ring, (_, i) => i),
  };
}

export function meshOfOutline(ring) {
  const shell = new Shell();
  shell.set(polygonHull(ring), 0);
  return meshOfShell(shell);
}
