/* Nearest pairs of a recording's frames, asked of the library where none was recorded: at the recorded poses, never between them. */
import * as THREE from 'three';

/* Queries that a recording without pairs may cost when it is opened; each takes some microseconds. */
const MOST_QUERIES = 150000;
/* Bodies of many parts keep what was recorded. */
const MOST_PARTS = 40;

const still = (body) => ['fixed', 'obstacle'].includes(body.role);

export class Nearest {
  /* shapes: of the recording, in its order; parts: per body a list of { shape, p, q }. */
  constructor(apart, record, shapes, parts) {
    this.apart = apart;
    this.record = record;
    this.shapes = shapes;
    this.parts = parts;
    this.pairs = new Map();
    this.position = new THREE.Vector3();
    this.rotation = new THREE.Quaternion();
    this.numbers = new Float64Array(7);
    this.answer = { distance: Infinity, a: new Float64Array(3), b: new Float64Array(3) };
  }

  free() {
    for (const pair of this.pairs.values()) pair.free();
    this.pairs.clear();
  }

  pairOf(i, j) {
    const key = i * this.shapes.length + j;
    let pair = this.pairs.get(key);
    if (!pair) {
      pair = this.apart.pair(this.shapes[i], this.shapes[j]);
      this.pairs.set(key, pair);
    }
    return pair;
  }

  place(pair, side, part, position, rotation) {
    this.position.copy(part.p).applyQuaternion(rotation).add(position).toArray(this.numbers, 0);
    this.rotation.multiplyQuaternions(rotation, part.q).toArray(this.numbers, 3);
    pair.poseNumbers(side, this.numbers);
  }

  /* Can the library be asked in the page? Not about meshes, which keep what was recorded. */
  known(a, b) {
    if ([a, b].some((body) => this.parts[body].some(({ shape }) => this.shapes[shape] === null))) return false;
    const parts = this.parts[a].length * this.parts[b].length;
    return parts > 0 && parts <= MOST_PARTS && !(this.parts[a].some(({ plane }) => plane) && this.parts[b].some(({ plane }) => plane));
  }

  /* The distance of bodies a and b at poses (a position and a rotation each); the one answer object is filled again and again. */
  ask(a, poseA, b, poseB) {
    const { answer } = this;
    answer.distance = Infinity;
    const partsA = this.parts[a];
    const partsB = this.parts[b];
    for (let i = 0; i < partsA.length; i++) {
      for (let j = 0; j < partsB.length; j++) {
        const partA = partsA[i];
        const partB = partsB[j];
        const pair = this.pairOf(partA.shape, partB.shape);
        this.place(pair, 0, partA, poseA.position, poseA.quaternion);
        this.place(pair, 1, partB, poseB.position, poseB.quaternion);
        const r = pair.distance();
        if (r.distance < answer.distance) {
          answer.distance = r.distance;
          answer.a.set(r.a);
          answer.b.set(r.b);
        }
      }
    }
    return answer;
  }

  /* Bodies that could be nearest to each other. */
  candidates() {
    const { bodies } = this.record;
    const list = [];
    for (let a = 0; a < bodies.length; a++) for (let b = a + 1; b < bodies.length; b++) if (!(still(bodies[a]) && still(bodies[b])) && this.known(a, b)) list.push([a, b]);
    return list;
  }

  /* Per frame its first pair: as recorded, or where a motion has none the nearest of all. Robots leave pairs out on purpose. */
  fill(poseAt) {
    const { frames, kind } = this.record;
    const first = frames.map((frame) => frame.pairs?.[0] ?? null);
    const open = first.filter((pair) => pair === null).length;
    if (open === 0 || !['simulation', 'scene', 'toi'].includes(kind)) return first;
    const list = this.candidates();
    if (list.length === 0 || open * list.length > MOST_QUERIES) return first;
    return first.map((pair, f) => pair ?? this.nearestOf(list, (body) => poseAt(f, body)));
  }

  nearestOf(list, pose) {
    let best = null;
    for (const [a, b] of list) {
      const poseA = { position: pose(a).position.clone(), quaternion: pose(a).quaternion.clone() };
      const { distance, a: p, b: q } = this.ask(a, poseA, b, pose(b));
      if (best === null || distance < best.distance) best = { a, b, distance, point_a: [...p], point_b: [...q] };
    }
    return best;
  }
}
