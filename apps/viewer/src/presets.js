/* Starting points that tell a story: a state of the page, and a few words. */
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
    text: 'Drag a body; with Shift, or “turn”, it turns. The second picture is the set of all differences b − a. Its distance from the origin O is the distance of the bodies, and v is where it is attained.',
    state: { mode: 'explore', a: 'random:28,11', b: 'box:0.55,0.8,0.4', poseA: none, poseB: pose([2.15, 0.35, 0.5], quat([1, 2, 0.5], 40)) },
  },
  {
    id: 'steps', title: 'Step by step to the answer',
    text: 'One query, step by step. Each step holds a simplex of differences (orange), takes its point v nearest to the origin, and asks both bodies for their points farthest towards each other along v.',
    state: { mode: 'step', a: 'random:28,11', b: 'random:24,5', poseA: none, poseB: pose([1.9, 0.9, 0.4], quat([0, 1, 0.4], 70)), step: 0, solver: 'default' },
  },
  {
    id: 'plane', title: 'In the plane',
    text: 'The same in two dimensions, where everything can be seen: the simplex is a point, an edge, or a triangle.',
    state: { mode: 'step', a: 'polygon:-0.9,-0.5,0.2,-0.9,1,-0.1,0.5,0.8,-0.6,0.7', b: 'polygon:-0.7,-0.4,0.5,-0.6,0.8,0.3,-0.2,0.7', poseA: none, poseB: pose([1.5, 1.5, 0], quat([0, 0, 1], 30)), step: 0, solver: 'default' },
  },
  {
    id: 'fig2', title: 'From vertex–face to edge–edge',
    text: 'As the bodies move, the witness points go from feature to neighbouring feature: from a vertex over a face to two edges. In the second picture v goes to the neighbouring face of the difference.',
    source: 'Cameron 1997, Fig. 2',
    state: { mode: 'explore', a: 'box:1,0.8,0.35', b: 'box:0.5,0.5,0.5', poseA: none, poseB: pose([0.2, 0, 1.55], quat([1, 1, 0.4], 48)), to: pose([1.75, 0.25, 0.95], quat([1, 1, 0.4], 48)), u: 0.3, play: true, track: true },
  },
  {
    id: 'tracking', title: 'Tracking a slow motion',
    text: 'Each query starts where the last one ended. On most of them no edge is climbed at all, on some one: the bars below count them. Without “track” the query starts from scratch.',
    source: 'Cameron 1997, section 3',
    state: { mode: 'explore', a: 'random:160,3', b: 'random:160,8', poseA: none, poseB: pose([2.3, -0.5, 0], quat([0, 0, 1], 0)), to: pose([2.2, 0.6, 0.3], quat([0.3, 0.2, 1], 50)), u: 0, play: true, track: true, plane: false },
  },
  {
    id: 'growing', title: 'How deep? The surface grows',
    text: 'The bodies overlap: the origin lies inside the difference. A surface around it grows, always at its nearest face, until that face is one of the difference itself: then its distance is the depth.',
    source: 'Cameron 1997, section 5; van den Bergen 2001',
    state: { mode: 'step', a: 'random:24,4', b: 'random:20,9', poseA: none, poseB: pose([0.55, 0.3, 0.35], quat([1, 0, 0.3], 30)), step: 8, solver: 'default' },
  },
  {
    id: 'fig6b', title: 'Where the way out jumps',
    text: 'A body passes through another. The depth is continuous, but the shortest way out jumps from the left edge to the right one: the problem is not convex, and following the last answer would miss it.',
    source: 'Cameron 1997, Fig. 6(b)',
    state: { mode: 'explore', a: 'polygon:-0.75,-1.3,0.65,-1.3,0.8,1.3,-0.6,1.3', b: 'rectangle:0.25,0.25', poseA: none, poseB: pose([-0.85, 0.06, 0]), to: pose([0.85, -0.06, 0]), u: 0.3, play: true, track: true },
  },
  {
    id: 'parallel', title: 'Nearly parallel faces',
    text: 'Two plates a thousandth apart, parallel to within 10⁻⁸ degrees. Here naive codes fail without noticing. Bounds tell: left to itself, the least-squares solver ends with bounds as far apart as the plates; the table below shows each solver alone. With the fallback all of them close the gap.',
    state: { mode: 'step', a: 'box:1,1,0.1', b: 'box:1.1,0.9,0.1', poseA: none, poseB: pose([0.31, 0.17, 0.201], quat([0.6, 1, 0.2], 1e-8)), step: 0, solver: 'least-squares' },
  },
  ...['robot', 'cuboids', 'dominoes', 'impact'].filter((id) => id in recordings).map((id) => ({
    id,
    ...{
      robot: { title: 'A redundant arm between obstacles', text: 'Four joints for a tool that follows its path. What the path leaves free keeps the links away from the two pyramids: the nearest pair decides, at every moment.', source: 'the geometric improvement of GJK, section 4.4' },
      cuboids: { title: 'Colliding cuboids', text: 'Two cuboids collide in free space; the contact is where the distance says, and momentum and energy are kept.', source: 'the divide-and-conquer implementation' },
      dominoes: { title: 'Dominoes', text: 'A row of bricks falls. Every contact is a pair of the world whose distance is nearly zero: the chart has the nearest one, in metres.' },
      impact: { title: 'The moment of impact', text: 'A capsule tumbles towards a plate. The time of impact is certified: no contact before it, whatever the bodies do between two looks. The chart has their distance on the way.', source: 'after Mirtich 1996; Tang, Kim and Manocha 2009' },
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
