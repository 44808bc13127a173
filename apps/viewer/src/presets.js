/* The stories: each is a state of the page with a short text. */
import recordings from 'apart:recordings';

const quat = (axis, degrees) => {
  const half = (degrees * Math.PI) / 360;
  const length = Math.hypot(...axis);
  return [...axis.map((x) => (x / length) * Math.sin(half)), Math.cos(half)];
};
const pose = (p, q = [0, 0, 0, 1]) => ({ p, q, m: null });
const none = pose([0, 0, 0]);

export const presets = [
  {
    id: 'first', title: 'A rock and a box',
    text: 'Drag a body; with Shift, or “turn”, it turns. The second picture is the Minkowski difference, the set of all differences b − a. Its distance from the origin O is the distance of the bodies, and v is its point nearest to O.',
    state: { mode: 'explore', a: 'random:28,11', b: 'box:0.55,0.8,0.4', poseA: none, poseB: pose([2.15, 0.35, 0.5], quat([1, 2, 0.5], 40)) },
  },
  {
    id: 'steps', title: 'Step by step to the answer',
    text: 'One query, step by step. Each step has a simplex in the Minkowski difference (orange), takes its point v nearest to the origin, and asks both bodies for their support points, the ones farthest towards each other along v.',
    state: { mode: 'step', a: 'random:28,11', b: 'random:24,5', poseA: none, poseB: pose([1.9, 0.9, 0.4], quat([0, 1, 0.4], 70)), step: 0, solver: 'default' },
  },
  {
    id: 'plane', title: 'In the plane',
    text: 'The same in two dimensions, where nothing is hidden: the simplex is a point, an edge, or a triangle.',
    state: { mode: 'step', a: 'polygon:-0.9,-0.5,0.2,-0.9,1,-0.1,0.5,0.8,-0.6,0.7', b: 'polygon:-0.7,-0.4,0.5,-0.6,0.8,0.3,-0.2,0.7', poseA: none, poseB: pose([1.5, 1.5, 0], quat([0, 0, 1], 30)), step: 0, solver: 'default' },
  },
  {
    id: 'fig2', title: 'From vertex–face to edge–edge',
    text: 'As the bodies move, the witness points pass from feature to neighbouring feature: from a vertex over a face to two edges. In the second picture v passes to the neighbouring face of the Minkowski difference.',
    source: 'Cameron 1997, Fig. 2',
    state: { mode: 'explore', a: 'box:1,0.8,0.35', b: 'box:0.5,0.5,0.5', poseA: none, poseB: pose([0.2, 0, 1.55], quat([1, 1, 0.4], 48)), to: pose([1.75, 0.25, 0.95], quat([1, 1, 0.4], 48)), u: 0.3, play: true, track: true },
  },
  {
    id: 'tracking', title: 'Tracking a slow motion',
    text: 'Each query is warm started: it begins where the last one ended. Most of them climb no edge at all, some climb one: the bars below count them. Without “track” each query starts cold.',
    source: 'Cameron 1997, section 3',
    state: { mode: 'explore', a: 'random:160,3', b: 'random:160,8', poseA: none, poseB: pose([2.3, -0.5, 0], quat([0, 0, 1], 0)), to: pose([2.2, 0.6, 0.3], quat([0.3, 0.2, 1], 50)), u: 0, play: true, track: true, plane: false },
  },
  {
    id: 'growing', title: 'How deep? The expanding polytope',
    text: 'The bodies overlap: the origin lies inside the Minkowski difference. A polytope around the origin is expanded (EPA), always at its nearest face, until that face belongs to the Minkowski difference itself: then its distance is the depth.',
    source: 'Cameron 1997, section 5; van den Bergen 2001',
    state: { mode: 'step', a: 'random:24,4', b: 'random:20,9', poseA: none, poseB: pose([0.55, 0.3, 0.35], quat([1, 0, 0.3], 30)), step: 8, solver: 'default' },
  },
  {
    id: 'fig6b', title: 'Where the direction of the depth jumps',
    text: 'A body passes through another. The depth is continuous, but the shortest separating displacement jumps from the left edge to the right one: the problem is not convex, and a search that only follows the last answer would miss it.',
    source: 'Cameron 1997, Fig. 6(b)',
    state: { mode: 'explore', a: 'polygon:-0.75,-1.3,0.65,-1.3,0.8,1.3,-0.6,1.3', b: 'rectangle:0.25,0.25', poseA: none, poseB: pose([-0.85, 0.06, 0]), to: pose([0.85, -0.06, 0]), u: 0.3, play: true, track: true },
  },
  {
    id: 'parallel', title: 'Nearly parallel faces',
    text: 'Two plates a thousandth apart, parallel to within 10⁻⁸ degrees. Here a naive implementation fails without noticing. Bounds reveal it: without the fallback, the least-squares solver ends with bounds that are as far apart as the plates; the table below shows each solver alone. With the fallback, all of them close the gap.',
    state: { mode: 'step', a: 'box:1,1,0.1', b: 'box:1.1,0.9,0.1', poseA: none, poseB: pose([0.31, 0.17, 0.201], quat([0.6, 1, 0.2], 1e-8)), step: 0, solver: 'least-squares' },
  },
  ...['robot', 'cuboids', 'dominoes', 'impact'].filter((id) => id in recordings).map((id) => ({
    id,
    ...{
      robot: { title: 'A redundant arm between obstacles', text: 'An arm with four joints moves its tool along a path. The remaining freedom of the joints keeps the links away from the two pyramids: at every moment the nearest pair decides.', source: 'the geometric improvement of GJK, section 4.4' },
      cuboids: { title: 'Colliding cuboids', text: 'Two cuboids collide in free space; the distance query gives the contact, and momentum and energy are conserved.', source: 'the divide-and-conquer implementation' },
      dominoes: { title: 'Dominoes', text: 'A row of bricks falls. Every contact is a pair of bodies whose distance is nearly zero: the chart shows the distance of the nearest pair, in metres.' },
      impact: { title: 'The moment of impact', text: 'A capsule tumbles towards a plate. The time of impact is certified: there is no contact before it, also between the moments that were evaluated. The chart shows the distance along the motion.', source: 'after Mirtich 1996; Tang, Kim and Manocha 2009' },
    }[id],
    recording: id,
    state: { mode: 'replay', preset: id, frame: 0 },
  })),
];

const cache = new Map();

/* A recording of the page, unpacked. */
export async function presetRecording(id) {
  if (!cache.has(id)) {
    if (!(id in recordings)) throw new Error(`no recording '${id}' in this page`);
    cache.set(id, JSON.parse(await unpack(recordings[id])));
  }
  return cache.get(id);
}

/* Text from base64 of gzip. */
export async function unpack(base64) {
  return new TextDecoder().decode(await unpackBytes(base64));
}

export async function unpackBytes(base64) {
  const packed = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
