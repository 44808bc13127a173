// Peers of W12 that run under node, beside what bench_mesh wrote in the same run of 'make bench':
//     node bench/node/mesh.mjs build/bench/mesh-queries.json
// three-mesh-bvh: closestPointToGeometry, intersectsGeometry, raycastFirst. manifold-3d: minGap and rayCast, of meshes that are
// manifold. Both keep coordinates in single precision. Times are the best of several calls after the code is warm; a ratio is the
// peer's median by apart's. What differs: distances by more than 1e-4, or another yes or no.
import {readFileSync} from 'node:fs';
import {BufferAttribute, BufferGeometry, DoubleSide, Matrix4, Ray, Vector3} from 'three';
import {MeshBVH, SAH} from 'three-mesh-bvh';
import openManifold from 'manifold-3d';

const same_within = 1e-4;
const most_poses = 20; // a distance takes them tens of milliseconds
const manifold = await openManifold();
manifold.setup();

const median = values => [...values].sort((a, b) => a - b)[values.length >> 1];

// Microseconds of a call: the least of up to `repeats` that take a tenth of a second together, after one that does not count.
function bestTime(call, repeats) {
  call();
  let best = Infinity;
  for (let i = 0, spent = 0; i < repeats && spent < 1e5; i++) {
    const start = process.hrtime.bigint();
    call();
    const time = Number(process.hrtime.bigint() - start) / 1000;
    spent += time;
    best = Math.min(best, time);
  }
  return best;
}

// The pose of twelve numbers, column by column, as a matrix of 16.
function matrixOf(asked, pose) {
  const m = new Array(16).fill(0);
  for (let column = 0; column < 4; column++) {
    for (let row = 0; row < 3; row++) m[4 * column + row] = asked[12 * pose + 3 * column + row];
  }
  m[15] = 1;
  return m;
}

function geometryOf(model) {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(model.vertices), 3));
  geometry.setIndex(new BufferAttribute(new Uint32Array(model.triangles), 1));
  geometry.boundsTree = new MeshBVH(geometry, {strategy: SAH});
  return geometry;
}

// null: the mesh is not manifold
function manifoldOf(model) {
  const mesh = new manifold.Mesh({
    numProp: 3,
    vertProperties: new Float32Array(model.vertices),
    triVerts: new Uint32Array(model.triangles),
  });
  mesh.merge();
  try {
    return new manifold.Manifold(mesh);
  } catch {
    return null;
  }
}

function print(peer, what, pair, own, times, differing) {
  const columns = [what.padEnd(8), pair.padEnd(21), peer.padEnd(14), own.toFixed(2).padStart(9), median(times).toFixed(2).padStart(10),
                   (median(times) / own).toFixed(1).padStart(7), String(differing).padStart(6)];
  console.log(`| ${columns.join(' | ')} |`);
}

// call(matrix, our answer): the peer's answer at a pose. The row's first poses.
function comparePoses(peer, what, pair, row, call) {
  if (!row) return;
  const count = Math.min(most_poses, row.microseconds.length), times = [];
  let differing = 0;
  for (let pose = 0; pose < count; pose++) {
    const matrix = matrixOf(row.asked, pose);
    let answer;
    times.push(bestTime(() => { answer = call(matrix, row.answers[pose]); }, 3));
    differing += Math.abs(Number(answer) - row.answers[pose]) > same_within;
  }
  print(peer, what, pair, median(row.microseconds.slice(0, count)), times, differing);
}

// call(ray number): where the ray hits; negative: nowhere. The row's first rays.
function compareRays(peer, pair, row, most, call) {
  if (!row) return;
  const count = Math.min(most, row.answers.length), answers = new Float64Array(count);
  const time = bestTime(() => {
    for (let i = 0; i < count; i++) answers[i] = call(i);
  }, count < 1000 ? 3 : 20);
  const differing = answers.filter((t, i) => Math.abs(t - row.answers[i]) > same_within).length;
  print(peer, 'rays', pair, row.microseconds[0], [time / count], differing);
}

function compareBvh(entry, pair) {
  const a = geometryOf(entry.a), b = geometryOf(entry.b), near = {}, far = {}, at = new Matrix4();
  const distance = matrix => a.boundsTree.closestPointToGeometry(b, at.fromArray(matrix), near, far).distance;
  for (const what of ['cold', 'near']) comparePoses('three-mesh-bvh', what, pair, entry[what], distance);
  comparePoses('three-mesh-bvh', 'overlap', pair, entry.overlap, matrix => a.boundsTree.intersectsGeometry(b, at.fromArray(matrix)));
  const asked = entry.rays?.asked, rays = [];
  for (let i = 0; asked && i < asked.length; i += 6) {
    rays.push(new Ray(new Vector3().fromArray(asked, i), new Vector3().fromArray(asked, i + 3)));
  }
  compareRays('three-mesh-bvh', pair, entry.rays, 1000, i => a.boundsTree.raycastFirst(rays[i], DoubleSide)?.distance ?? -1);
}

function compareManifold(entry, pair) {
  const a = manifoldOf(entry.a), b = manifoldOf(entry.b);
  if (!a || !b) {
    console.log(`manifold-3d leaves out ${pair}: not manifold`);
    return;
  }
  const distance = (matrix, answer) => { // it compares all triangles whose boxes are within the length
    const moved = b.transform(matrix), gap = a.minGap(moved, 1.25 * answer);
    moved.delete();
    return gap;
  };
  for (const what of ['cold', 'near']) comparePoses('manifold-3d', what, pair, entry[what], distance);
  const asked = entry.rays?.asked;
  compareRays('manifold-3d', pair, entry.rays, 20, i => {
    const from = asked.slice(6 * i, 6 * i + 3), hits = a.rayCast(from, from.map((x, k) => x + 10 * asked[6 * i + 3 + k]));
    return hits.length ? 10 * hits[0].distance : -1;
  });
}

const entries = JSON.parse(readFileSync(process.argv[2], 'utf8'));
console.log(`\nW12 under node: medians in microseconds of the first ${most_poses} poses\n`);
console.log('| row      | meshes                | peer           |     apart |       peer |   ratio | differ |');
console.log('|----------|-----------------------|----------------|----------:|-----------:|--------:|-------:|');
for (const entry of entries) {
  const pair = `${entry.a.name.slice(0, 10)} x ${entry.b.name.slice(0, 8)}`;
  compareBvh(entry, pair);
  compareManifold(entry, pair);
}
