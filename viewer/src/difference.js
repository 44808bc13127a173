/* The set of all differences b - a of two bodies as a mesh, at given rotations and around the origin. When a body turns this is made every
 * frame: into buffers that are used again. */
import { CIRCLE, COARSE, FINE, SMOOTH } from './bodies.js';
import { PlaneHull } from './geometry.js';
import { Shell } from './shell.js';

/* Products of more corners than this are sampled. */
const MOST_PRODUCTS = 6000;

/* out = m v at an offset, or the transposed of m. */
function turn(m, v, i, out, o) {
  for (let k = 0; k < 3; k++) out[o + k] = m[3 * k] * v[i] + m[3 * k + 1] * v[i + 1] + m[3 * k + 2] * v[i + 2];
}

function turnBack(m, v, i, sign, out, o) {
  for (let k = 0; k < 3; k++) out[o + k] = sign * (m[k] * v[i] + m[3 + k] * v[i + 1] + m[6 + k] * v[i + 2]);
}

export class Difference {
  constructor(apart) {
    this.work = apart.hullWork();
    this.shells = { shape: new Shell(), core: new Shell() };
    this.asked = new Map([CIRCLE, COARSE, FINE].map((directions) => [directions, new Float64Array(directions.length)]));
    this.found = [new Float64Array(FINE.length), new Float64Array(FINE.length)];
    this.p = new Float64Array(3);
    this.turned = new Float64Array(0);
    this.outline = new PlaneHull();
  }

  /* part: 'shape', or 'core', which is without rounding. quick: fewer points, for the time of a motion. */
  make(bodies, rotations, part, quick) {
    const listA = part === 'core' ? bodies[0].coreCorners : bodies[0].vertices;
    const listB = part === 'core' ? bodies[1].coreCorners : bodies[1].vertices;
    const exact = listA && listB && listA.length * listB.length <= 9 * MOST_PRODUCTS;
    const count = exact ? this.products(listA, listB, rotations) : this.samples(bodies, rotations, part, quick);
    const shell = this.shells[part];
    if (bodies[0].dim === 2) {
      this.outline.build(this.work.m.view().f64, this.work.points >> 3, count);
      shell.set(this.outline, 0);
    } else {
      this.work.build(count);
      shell.set(this.work, exact ? 0 : quick ? 40 : SMOOTH);
    }
    return shell;
  }

  products(listA, listB, rotations) {
    const { work, p } = this;
    if (this.turned.length < listB.length) this.turned = new Float64Array(listB.length);
    for (let j = 0; j < listB.length; j += 3) turn(rotations[1], listB, j, this.turned, j);
    work.reserve((listA.length * listB.length) / 9);
    let count = 0;
    for (let i = 0; i < listA.length; i += 3) {
      turn(rotations[0], listA, i, p, 0);
      for (let j = 0; j < listB.length; j += 3) work.put(count++, this.turned[j] - p[0], this.turned[j + 1] - p[1], this.turned[j + 2] - p[2]);
    }
    return count;
  }

  /* Support points in many directions: of A against them, of B along them. */
  samples(bodies, rotations, part, quick) {
    const { work, p, found } = this;
    const directions = bodies[0].dim === 2 ? CIRCLE : quick ? COARSE : FINE;
    const asked = this.asked.get(directions);
    for (let side = 0; side < 2; side++) {
      for (let i = 0; i < directions.length; i += 3) turnBack(rotations[side], directions, i, side === 0 ? -1 : 1, asked, i);
      bodies[side][part].supports(asked, found[side]);
    }
    work.reserve(directions.length / 3);
    for (let i = 0; i < directions.length; i += 3) {
      turn(rotations[1], found[1], i, p, 0);
      const x = p[0];
      const y = p[1];
      const z = p[2];
      turn(rotations[0], found[0], i, p, 0);
      work.put(i / 3, x - p[0], y - p[1], z - p[2]);
    }
    return directions.length / 3;
  }
}
