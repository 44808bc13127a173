// Distances of pairs of hulls by MuJoCo's WebAssembly package: node pairs.mjs PAIRS.json ANSWERS.json
//
// PAIRS.json: a list of {"a": {"vertices": [[x, y, z], ...], "pos", "quat"}, "b": {...}}. An answer has MuJoCo's distance and
// points, and the very numbers it computed with: it moves a mesh to its centre of mass and keeps the vertices as floats.
import {readFileSync, writeFileSync} from 'node:fs';
import loadMujoco from '@mujoco/mujoco';

const [, , input, output, iterations = '0', tolerance = '0'] = process.argv;
const mujoco = await loadMujoco();

function modelText(pair) {
  const words = (list) => list.flat().join(' ');
  const mesh = (name, body) => `<mesh name="${name}" vertex="${words(body.vertices)}"/>`;
  const body = (name, b) => `<body pos="${words(b.pos)}" quat="${words(b.quat)}"><freejoint/><geom type="mesh" mesh="${name}"/></body>`;
  const option = Number(iterations) > 0 ? `<option ccd_iterations="${iterations}" ccd_tolerance="${tolerance}"/>` : '';
  return `<mujoco>${option}<asset>${mesh('a', pair.a)}${mesh('b', pair.b)}</asset>` +
      `<worldbody>${body('a', pair.a)}${body('b', pair.b)}</worldbody></mujoco>`;
}

function geom(model, data, g) {
  const mesh = model.geom_dataid[g], first = 3 * model.mesh_vertadr[mesh], count = 3 * model.mesh_vertnum[mesh];
  return {vertices: Array.from(model.mesh_vert.slice(first, first + count)),
    pos: Array.from(data.geom_xpos.slice(3 * g, 3 * g + 3)), mat: Array.from(data.geom_xmat.slice(9 * g, 9 * g + 9))};
}

function answer(pair) {
  let model;
  try {
    model = mujoco.MjModel.from_xml_string(modelText(pair));
  } catch (error) {
    return {refused: String(error.message ?? error).split('\n')[0]};
  }
  const data = new mujoco.MjData(model), points = mujoco.DoubleBuffer.FromArray([0, 0, 0, 0, 0, 0]);
  try {
    mujoco.mj_kinematics(model, data);
    const distance = mujoco.mj_geomDistance(model, data, 0, 1, 1e6, points);
    return {distance, points: Array.from(points.GetView()), a: geom(model, data, 0), b: geom(model, data, 1)};
  } catch (error) {
    return {failed: String(error.message ?? error).split('\n')[0]};
  } finally {
    points.delete();
    data.delete();
    model.delete();
  }
}

const pairs = JSON.parse(readFileSync(input, 'utf8'));
writeFileSync(output, JSON.stringify(pairs.map(answer)));
