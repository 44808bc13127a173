/* A body of the page: a text names it (as on the command line, or "random:POINTS,SEED", or "hull:x,y,z,..."), the library makes the shape,
 * and here is what the screen needs of it: a mesh, its core without rounding, and points whose hull it is. */
import { parseShape } from '../../../bindings/wasm/apart.js';
import { meshOfOutline, meshOfPoints, ring, sphereDirections } from './geometry.js';

const FINE = sphereDirections(1400);
export const CIRCLE = ring(1, 0, 128);
const RING = 96;
/* Sampled surfaces bend by less than this between neighbours, in degrees. */
export const SMOOTH = 28;
const CURVED = new Set(['sphere', 'capsule', 'cylinder', 'cone', 'ellipsoid', 'circle']);

/* Points near a sphere; only +, -, *, / and sqrt, so that every browser makes the same. */
export function randomPoints(count, seed) {
  let state = (seed * 2654435761 + 1) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ state >>> 15, state | 1);
    t = (t + Math.imul(t ^ t >>> 7, t | 61)) ^ t;
    return ((t ^ t >>> 14) >>> 0) / 4294967296;
  };
  const xyz = [];
  while (xyz.length < 3 * count) {
    const p = [2 * next() - 1, 2 * next() - 1, 2 * next() - 1];
    const length = Math.sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    if (length > 0.2 && length <= 1) {
      const radius = (0.82 + 0.18 * next()) / length;
      xyz.push(...p.map((x) => Math.round(x * radius * 65536) / 65536));
    }
  }
  return xyz;
}

const numbersOf = (text, what) => {
  const numbers = text.split(',').map(Number);
  if (!numbers.every(Number.isFinite)) throw new Error(`${what}: not all of these are numbers`);
  return numbers;
};

/* { points } for the page's own words, else what the library's text says. */
function read(text) {
  const [word, rest = ''] = text.split(/:(.*)/s);
  const [body, round] = rest.split('+');
  const radius = round === undefined ? 0 : Number(round);
  if (word === 'random') {
    const [count, seed = 1] = numbersOf(body, text);
    if (!(count >= 1 && count <= 2000)) throw new Error(`${text}: between 1 and 2000 points`);
    return { word, points: randomPoints(Math.floor(count), seed), radius };
  }
  if (word === 'hull') {
    const points = numbersOf(body, 'hull');
    if (points.length === 0 || points.length % 3 !== 0) throw new Error('hull: expected three numbers per point');
    return { word, points, radius };
  }
  const parsed = parseShape(text);
  return { word, numbers: parsed.numbers, radius: parsed.radius };
}

/* Text of the core, which is what the loop works on. */
function coreText(word, numbers) {
  if (word === 'sphere') return 'point:0,0,0';
  if (word === 'circle') return 'point2:0,0';
  if (word === 'capsule') return `segment:0,0,${-numbers[1]},0,0,${numbers[1]}`;
  if (word === 'ellipsoid' && new Set(numbers).size === 1) return 'point:0,0,0';
  return `${word}:${numbers.join()}`;
}

/* All corners of a polytope in the order in which the library numbers them (docs/features.md), or nothing for a curved body. */
function corners(word, numbers, points) {
  if (points) return points;
  const [x, y, z] = numbers;
  switch (word) {
    case 'box': return [-1, 1].flatMap((k) => [-1, 1].flatMap((j) => [-1, 1].flatMap((i) => [i * x, j * y, k * z])));
    case 'rectangle': return [-x, -y, 0, x, -y, 0, -x, y, 0, x, y, 0];
    case 'point': case 'segment': case 'triangle': case 'points': return numbers;
    case 'point2': case 'segment2': case 'polygon': return Array.from({ length: (numbers.length / 2) * 3 }, (_, i) => (i % 3 === 2 ? 0 : numbers[2 * Math.floor(i / 3) + i % 3]));
    default: return null;
  }
}

/* Those of the core of a rounded body. */
function coreList(word, numbers, points) {
  if (word === 'sphere' || word === 'circle') return [0, 0, 0];
  if (word === 'capsule') return [0, 0, -numbers[1], 0, 0, numbers[1]];
  return corners(word, numbers, points);
}

/* Points on a curved body that show it well. */
function sample(shape, word, numbers, radius) {
  if (shape.dim === 2) return shape.supports(CIRCLE);
  if (word === 'cylinder' && radius === 0) return [...ring(numbers[0], -numbers[1], RING), ...ring(numbers[0], numbers[1], RING)];
  if (word === 'cone' && radius === 0) return [...ring(numbers[0], -numbers[1], RING), 0, 0, numbers[1]];
  return shape.supports(FINE);
}

/* Of the box around points. */
function middleOf(xyz) {
  return [0, 1, 2].map((k) => {
    let low = Infinity;
    let high = -Infinity;
    for (let i = k; i < xyz.length; i += 3) {
      low = Math.min(low, xyz[i]);
      high = Math.max(high, xyz[i]);
    }
    return (low + high) / 2;
  });
}

const doubles = (list) => list && Float64Array.from(list);

export function makeBody(apart, text) {
  const spec = read(text);
  const shape = spec.points ? apart.hull(spec.points, spec.radius) : apart.shape(text);
  const { word, numbers, radius } = spec;
  const core = radius > 0 || ['sphere', 'capsule', 'circle'].includes(word)
    ? (spec.points ? apart.hull(spec.points) : apart.shape(coreText(word, numbers))) : shape;
  const plane = word === 'halfspace';
  const list = plane ? null : doubles(corners(word, numbers, spec.points));
  const curved = !plane && (radius > 0 || CURVED.has(word));
  const points = plane ? null : curved ? sample(shape, word, numbers, radius) : list;
  const mesh = plane ? null : shape.dim === 2 ? meshOfOutline(points) : meshOfPoints(apart, Float64Array.from(points), curved ? SMOOTH : 0);
  const vertices = curved || plane ? null : mesh.corners;
  const numbered = core === shape ? list : doubles(coreList(word, numbers, spec.points));
  const coreCorners = core === shape ? vertices : numbered;
  const middle = points ? middleOf(points) : [0, 0, 0];
  let size = 0;
  if (points) for (let i = 0; i < points.length; i += 3) size = Math.max(size, Math.hypot(...middle.map((x, k) => points[i + k] - x)));
  return {
    text, word, numbers: numbers ?? [], radius, shape, core, mesh, plane, curved, vertices, coreCorners, numbered, middle, size: plane ? 2 : size, dim: shape.dim,
    points: spec.points ?? null,
    polytopes: new Map(), /* of the difference (polytope.js) */
    free() {
      if (core !== shape) core.free();
      shape.free();
    },
  };
}
