/* Recordings (docs/recording.md): reading one, and saying exactly what is wrong with a broken one. */
const kinds = ['plan', 'clearance', 'simulation', 'scene', 'toi', 'query'];

class Broken extends Error {}

const fail = (where, expected) => { throw new Broken(`${where}: expected ${expected}`); };
const isNumbers = (list, counts) => Array.isArray(list) && counts.includes(list.length) && list.every(Number.isFinite);

function checkShape(shape, where) {
  if (typeof shape?.shape === 'string') return;
  if (!Array.isArray(shape?.vertices)) fail(where, '"shape" (a text such as "box:1,1,1") or "vertices"');
  shape.vertices.forEach((p, i) => isNumbers(p, [3]) || fail(`${where}.vertices[${i}]`, 'three numbers'));
  if (shape.vertices.length === 0) fail(`${where}.vertices`, 'at least one point');
  if (!shape.mesh) return;
  if (!Array.isArray(shape.faces)) fail(`${where}.faces`, 'an array of faces');
  const isCorner = (i) => Number.isInteger(i) && i >= 0 && i < shape.vertices.length;
  shape.faces.forEach((face, i) => (Array.isArray(face) && face.length >= 3 && face.every(isCorner)) || fail(`${where}.faces[${i}]`, 'three or more numbers of vertices'));
}

function checkBody(body, where, shapes) {
  if (!Array.isArray(body?.parts)) fail(`${where}.parts`, 'an array');
  body.parts.forEach((part, i) => {
    if (!Number.isInteger(part?.shape) || part.shape < 0 || part.shape >= shapes) fail(`${where}.parts[${i}].shape`, `a number of a shape, 0 to ${shapes - 1}`);
    if (part.pose !== undefined && !isNumbers(part.pose, [7, 12])) fail(`${where}.parts[${i}].pose`, '7 or 12 numbers');
  });
}

function checkFrame(frame, where, bodies, last) {
  if (!Number.isFinite(frame?.t)) fail(`${where}.t`, 'a number');
  if (frame.t < last) fail(`${where}.t`, `at least ${last}, the time of the frame before`);
  if (!Array.isArray(frame.poses) || frame.poses.length !== bodies) fail(`${where}.poses`, `an array of ${bodies}, one per body`);
  frame.poses.forEach((pose, i) => pose === null || isNumbers(pose, [7, 12]) || fail(`${where}.poses[${i}]`, '7 or 12 numbers, or null'));
  (frame.pairs ?? []).forEach((pair, i) => {
    for (const side of ['a', 'b']) if (!Number.isInteger(pair?.[side]) || pair[side] < 0 || pair[side] >= bodies) fail(`${where}.pairs[${i}].${side}`, `a number of a body, 0 to ${bodies - 1}`);
    if (!Number.isFinite(pair.distance)) fail(`${where}.pairs[${i}].distance`, 'a number');
  });
}

/* Throws with the place and what was expected there. */
export function checkRecording(r) {
  if (r === null || typeof r !== 'object' || !('apart_recording' in r)) fail('the file', '"apart_recording": 1, as docs/recording.md has it');
  if (r.apart_recording !== 1) fail('apart_recording', `1; version ${JSON.stringify(r.apart_recording)} is not known here`);
  if (!kinds.includes(r.kind)) fail('kind', kinds.join(', '));
  for (const key of ['shapes', 'bodies', 'frames']) if (!Array.isArray(r[key]) || r[key].length === 0) fail(key, 'an array with something in it');
  r.shapes.forEach((shape, i) => checkShape(shape, `shapes[${i}]`));
  r.bodies.forEach((body, i) => checkBody(body, `bodies[${i}]`, r.shapes.length));
  let last = -Infinity;
  r.frames.forEach((frame, i) => {
    checkFrame(frame, `frames[${i}]`, r.bodies.length, last);
    last = frame.t;
  });
  return r;
}

/* Line and column where JSON ends to make sense, if the browser tells the position. */
function where(text, error) {
  const match = /position (\d+)/.exec(error.message);
  const ended = /end of/i.test(error.message);
  if (!match && !ended) return '';
  const before = text.slice(0, match ? Number(match[1]) : text.length).split('\n');
  return `line ${before.length}, column ${before.at(-1).length + 1}: `;
}

export function parseJson(text, name) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${name}: ${where(text, error)}this is not JSON (${error.message})`);
  }
}

export function parseRecording(text, name) {
  const value = parseJson(text, name);
  try {
    return checkRecording(value);
  } catch (error) {
    throw error instanceof Broken ? new Error(`${name}: ${error.message}`) : error;
  }
}
