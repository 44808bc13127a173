/* The motion of a recording's robot: joint positions at any time, by the library's own polynomials, and the clearance along it. */

export class Motion {
  constructor({ t, q, v = [], a = [], lower = [] }, cell) {
    this.cell = cell;
    this.t = t;
    this.q = new Float64Array(q[0].length);
    this.bands = t.slice(1).map((to, i) => ({ from: t[i], to, lower: lower[i] ?? null })).filter((band) => band.lower !== null);
    this.segments = t.map((time, i) => {
      const next = Math.min(i + 1, t.length - 1);
      const both = (rows) => Boolean(rows[i] && rows[next]) && next > i;
      return { q0: q[i], q1: q[next], duration: t[next] - time, ...(both(v) ? { v0: v[i], v1: v[next] } : {}), ...(both(v) && both(a) ? { a0: a[i], a1: a[next] } : {}) };
    });
  }

  /* The last waypoint that is not after the time. */
  waypointAt(time) {
    let low = 0;
    let high = this.t.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.t[middle] <= time) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /* The positions at a time, in an array that is used again. */
  at(time) {
    const i = this.waypointAt(time);
    const segment = this.segments[i];
    const s = segment.duration > 0 ? Math.min(1, Math.max(0, (time - this.t[i]) / segment.duration)) : 0;
    return this.cell.segmentAt(segment, s, this.q);
  }
}

/* Moments of the curve, besides the frames. */
const MOMENTS = 500;
/* Of more pairs than these only the nearest are asked for at every moment. */
const ALL_PAIRS = 60;
const NEAREST = 12;
const ROOM = 1024; /* at the first; then as many as there are */

/* The distances of pairs along a motion, computed a few at a time: `step` returns true when there is more to do. */
export class Curve {
  constructor(motion, cell, frames) {
    this.motion = motion;
    this.cell = cell;
    const [from, to] = [motion.t[0], motion.t.at(-1)];
    const times = new Set(frames.filter((t) => t >= from && t <= to));
    for (let i = 0; i <= MOMENTS; i++) times.add(from + ((to - from) * i) / MOMENTS);
    this.t = [...times].sort((a, b) => a - b).slice(0, Math.max(ROOM, frames.length + MOMENTS + 1));
    this.least = this.t.map(() => NaN);
    this.nearest = this.t.map(() => -1);
    this.pairs = new Map(); /* by number: distances */
    this.done = 0;
  }

  get complete() { return this.done >= this.t.length; }

  /* For so many milliseconds. */
  step(budget) {
    const end = performance.now() + budget;
    const { cell } = this;
    const count = cell.pairs.length <= ALL_PAIRS ? cell.pairs.length : NEAREST;
    while (!this.complete && performance.now() < end) {
      cell.set(this.motion.at(this.t[this.done]));
      const list = cell.nearestOf(count);
      for (let k = 0; k < cell.listed; k++) {
        const { pair, distance } = list[k];
        if (!this.pairs.has(pair)) this.pairs.set(pair, this.t.map(() => NaN));
        this.pairs.get(pair)[this.done] = distance;
      }
      this.least[this.done] = list[0].distance;
      this.nearest[this.done] = list[0].pair;
      this.done += 1;
    }
    return !this.complete;
  }

  /* The pairs that come nearest somewhere, the nearest of all first. */
  worst(count) {
    const least = [...this.pairs].map(([pair, y]) => [pair, y.reduce((a, b) => (b < a ? b : a), Infinity)]);
    return least.sort((a, b) => a[1] - b[1]).slice(0, count).map(([pair]) => pair);
  }
}
