/* The WebAssembly module against the native program, bit by bit.
 * usage: node test_wasm.mjs WASM_DIR APART TEST_GOLDEN [SEED] */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import assert from 'node:assert/strict';
import test, { after } from 'node:test';

const [folder, program, golden, seed = '1'] = process.argv.slice(2);
const { load, solvers } = await import(pathToFileURL(join(folder, 'apart.js')));
const apart = await load(readFileSync(join(folder, 'apart.wasm')));
const work = mkdtempSync(join(tmpdir(), 'apart-wasm-'));
after(() => rmSync(work, { recursive: true }));

const native = (...words) => JSON.parse(execFileSync(program, [...words, '--json'], { encoding: 'utf8' }));

/* SplitMix, 32 bits at a time. */
let state = BigInt(seed);
function random(low, high) {
  state = BigInt.asUintN(64, state + 0x9e3779b97f4a7c15n);
  let z = BigInt.asUintN(64, (state ^ state >> 30n) * 0xbf58476d1ce4e5b9n);
  z = BigInt.asUintN(64, (z ^ z >> 27n) * 0x94d049bb133111ebn);
  return low + (high - low) * Number(z >> 40n) / 2 ** 24;
}
console.log(`seed ${seed}`);

const pose = (reach) => [random(-reach, reach), random(-reach, reach), random(-reach, reach), random(-1, 1), random(-1, 1), random(-1, 1), random(0.1, 1)];
const poseText = (p) => `xyz=${p.slice(0, 3)} quat_xyzw=${p.slice(3)}`;
const anyShape = () => {
  const r = () => random(0.2, 1.2);
  const kinds = [`box:${r()},${r()},${r()}`, `sphere:${r()}`, `capsule:${r()},${r()}`, `cylinder:${r()},${r()}`, `cone:${r()},${r()}`,
    `ellipsoid:${r()},${r()},${r()}`, `triangle:${r()},${r()},${r()},${-r()},${r()},0,0,${-r()},${r()}+${r() / 8}`, `box:${r()},${r()},${r()}+${r()}`];
  return kinds[Math.floor(random(0, kinds.length))];
};
const points = (n) => Array.from({ length: 3 * n }, () => random(-1, 1));
const writePoints = (name, xyz) => {
  const path = join(work, name);
  const lines = [];
  for (let i = 0; i < xyz.length; i += 3) lines.push(`${xyz[i]} ${xyz[i + 1]} ${xyz[i + 2]}`);
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
};

function assertSame(r, expected) {
  assert.equal(r.distance, expected.distance);
  assert.equal(r.lower, expected.lower);
  assert.equal(r.upper, expected.upper);
  assert.equal(r.relation, expected.relation);
  assert.equal(r.stop, expected.stop);
  assert.equal(r.iterations, expected.iterations);
  /* -0 is printed as -0.0 and read as such, but which zero it is does not count */
  assert.deepEqual([...r.a, ...r.b, ...r.normal].map((x) => x + 0), [...expected.a.point, ...expected.b.point, ...expected.normal].map((x) => x + 0));
}

test('the golden hash is the native one, with and without motions', async () => {
  const refuse = (name) => () => { throw new Error(name); };
  const wasi = Object.fromEntries(['fd_close', 'fd_seek', 'fd_write', 'proc_exit'].map((name) => [name, refuse(name)]));
  const { instance } = await WebAssembly.instantiate(readFileSync(join(folder, 'golden.wasm')), { wasi_snapshot_preview1: wasi });
  for (const [motions, word] of [[0, 'hash'], [1, 'all']]) {
    const hash = `0x${BigInt.asUintN(64, instance.exports.golden_hash(motions)).toString(16).padStart(16, '0')}`;
    assert.equal(hash, execFileSync(golden, [word], { encoding: 'utf8' }).trim());
  }
});

test('random pairs give the native answer, its features and its verdict', () => {
  const relations = new Set();
  for (let i = 0; i < 60; i++) {
    const texts = [anyShape(), anyShape()];
    const poses = [pose(1), pose(2)];
    const solver = solvers[i % 3 === 0 ? i / 3 % solvers.length : 0];
    const pair = apart.pair(...texts.map((text) => apart.shape(text)));
    pair.poseA(...poses[0]);
    pair.poseNumbers(1, Float64Array.from(poses[1]));
    pair.setOptions({ solver, stats: true });
    const r = pair.distance();
    const expected = native('distance', ...texts, '--pose-a', poseText(poses[0]), '--pose-b', poseText(poses[1]), '--solver', solver);
    assertSame(r, expected);
    const features = pair.features();
    for (const side of ['a', 'b']) assert.deepEqual(features[side], { ...expected[side].feature });
    assert.notEqual(pair.verify().verdict, 'refuted');
    relations.add(r.relation);
    pair.free();
  }
  assert.ok(relations.has('disjoint') && relations.has('overlapping'));
});

test('hulls from bare points are those of the native builder', () => {
  for (const n of [1, 2, 3, 4, 12, 60, 400]) {
    const xyz = points(n);
    const path = writePoints(`points-${n}.txt`, xyz);
    const shape = apart.hull(xyz);
    const expected = native('hull', path);
    assert.equal(shape.hull.vertexCount, expected.vertex_count);
    assert.equal(shape.hull.edgeCount, expected.edge_count);
    assert.equal(shape.hull.faceCount, expected.face_count);
    assert.equal(shape.hull.volume, expected.volume);
    const pair = apart.pair(shape, apart.shape('box:0.5,1,0.25'));
    const at = pose(2);
    pair.poseB(...at);
    assertSame(pair.distance(), native('distance', path, 'box:0.5,1,0.25', '--pose-b', poseText(at)));
    const again = apart.mesh(readFileSync(path), path);
    assert.deepEqual(again.hull.block(), shape.hull.block());
  }
});

test('hulls one after another in the same arrays are the same hulls', () => {
  const work = apart.hullWork();
  for (const n of [400, 1, 2, 3, 12, 400, 60, 900]) {
    const xyz = points(n);
    work.reserve(n);
    for (let i = 0; i < n; i++) work.put(i, xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]);
    work.build(n);
    const hull = apart.hullOfPoints(xyz);
    assert.equal(work.dimension, hull.dimension);
    assert.deepEqual(work.xyz.slice(0, 3 * work.vertexCount), hull.vertices());
    const faces = Array.from({ length: work.faceCount }, (_, f) => Array.from(work.faceVertex.subarray(work.faceStart[f], work.faceStart[f + 1])));
    assert.deepEqual(faces, hull.faces());
    hull.free();
  }
  work.free();
});

test('hulls from faces, and faces that are none', () => {
  const cube = [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1];
  const faces = [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]];
  const hull = apart.hullOfFaces(cube, faces);
  assert.equal(hull.volume, 1);
  assert.equal(hull.faces().length, 6);
  assert.throws(() => apart.hullOfFaces(cube, faces.slice(1)), /closed/);
});

test('a trace has the steps of the native one', () => {
  for (let i = 0; i < 12; i++) {
    const texts = [`box:0.5,${random(0.5, 1)},0.25`, i % 2 === 0 ? 'cylinder:0.5,0.7' : `box:${random(0.3, 1)},0.6,0.6`];
    const at = pose(i < 6 ? 0.4 : 2);
    const pair = apart.pair(...texts.map((text) => apart.shape(text)));
    pair.poseB(...at);
    const { steps, origin, total } = pair.trace();
    const file = join(work, 'trace.json');
    native('distance', ...texts, '--pose-b', poseText(at), '--trace', file);
    const expected = JSON.parse(readFileSync(file, 'utf8'));
    assert.deepEqual(origin, expected.origin);
    assert.equal(total, expected.steps.length);
    expected.steps.forEach((step, k) => {
      assert.deepEqual(steps[k].v.map((x) => x + 0), step.v.map((x) => x + 0));
      assert.equal(Number.isFinite(steps[k].lower) ? steps[k].lower : null, step.lower);
      assert.equal(steps[k].upper, step.upper);
      assert.equal(steps[k].simplex.length, step.simplex.length);
      assert.equal(steps[k].support.indexB, step.support.index_b);
    });
  }
});

/* Every directed edge once, and its opposite too. */
function assertClosed(surface) {
  const name = (i) => Array.from(surface.subarray(i, i + 3)).join();
  const edges = new Set();
  for (let f = 0; f < surface.length; f += 9) {
    for (let k = 0; k < 3; k++) {
      const edge = `${name(f + 3 * k)} ${name(f + 3 * ((k + 1) % 3))}`;
      assert.ok(!edges.has(edge));
      edges.add(edge);
    }
  }
  for (const edge of edges) assert.ok(edges.has(edge.split(' ').reverse().join(' ')));
}

test('the surfaces of a depth search are closed, grow, and end at the depth', () => {
  for (let i = 0; i < 10; i++) {
    const pair = apart.pair(apart.hull(points(30)), apart.hull(points(20)));
    pair.poseB(...pose(0.3));
    const { steps, result } = pair.trace();
    const expanding = steps.filter((step) => step.surface.length > 0);
    assert.equal(result.relation, 'overlapping');
    assert.ok(expanding.length > 1);
    expanding.forEach((step, k) => {
      assertClosed(step.surface);
      assert.ok(k === 0 || step.surface.length >= expanding[k - 1].surface.length);
    });
    assert.ok(Math.abs(expanding.at(-1).upper - result.distance) < 1e-12);
  }
  const flat = apart.pair(apart.shape('circle:1'), apart.shape('rectangle:1,0.5'));
  flat.poseB(0.5, 0.2, 0);
  assert.ok(flat.trace().steps.filter((step) => step.surface.length >= 9).length >= 2);
});

test('tracked queries agree with cold ones, and climb hardly at all', () => {
  const pair = apart.pair(apart.hull(points(400)), apart.hull(points(400)));
  pair.setOptions({ stats: true });
  let climbed = 0;
  for (let k = 0; k < 200; k++) {
    pair.poseB(3 + 0.002 * k, 0.004 * k, 0, 0, 0, Math.sin(0.001 * k), Math.cos(0.001 * k));
    const { distance, lower, upper } = pair.track();
    climbed += k === 0 ? 0 : pair.counts.edgesClimbed;
    const cold = pair.distance();
    assert.ok(lower <= cold.upper && cold.lower <= upper && Math.abs(distance - cold.distance) < 1e-13);
  }
  assert.ok(climbed < 200, `${climbed} edges`);
});

test('queries take no memory', () => {
  const pair = apart.pair(apart.hull(points(200)), apart.shape('cone:1,1'));
  pair.poseB(0.5, 0.5, 0.5);
  pair.distance();
  const before = apart.m.memory.buffer;
  pair.repeat(2000, false);
  for (let k = 0; k < 2000; k++) pair.distance();
  assert.equal(apart.m.memory.buffer, before);
});

test('what is wrong is said', () => {
  assert.throws(() => apart.shape('bx:1'), /expected a shape such as box:1,1,1/);
  assert.throws(() => apart.shape('box:1,1'), /box takes 3 numbers, not 2/);
  assert.throws(() => apart.shape('box:1,1,x'), /not all of these are numbers/);
  assert.throws(() => apart.shape('sphere:-1'), /sphere:-1: /);
  assert.throws(() => apart.hull([]), /no points/);
  assert.throws(() => apart.hull([1, 2, NaN]), /hull: /);
  assert.throws(() => apart.mesh(new TextEncoder().encode('v 1 2 x\n'), 'a.obj'), /a\.obj:1: expected three numbers after 'v', found 'x'/);
  const pair = apart.pair(apart.shape('circle:1'), apart.shape('box:1,1,1'));
  assert.throws(() => pair.distance(), /2D/);
  assert.throws(() => pair.setOptions({ solver: 'jonson' }), /unknown solver 'jonson'/);
  assert.throws(() => pair.poseA(0, 0, 0, 0, 0, 0, 0), /pose of A: /);
});
