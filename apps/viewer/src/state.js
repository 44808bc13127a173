/* What the page shows, as an address: a link restores it. Numbers keep all their digits, so a distance is the same bits again. */
const numbers = (text, count) => {
  const list = text.split(',').map(Number);
  if (!list.every(Number.isFinite) || (count && !count.includes(list.length))) throw new Error(`'${text}' in the address: expected ${count?.join(' or ') ?? 'some'} numbers`);
  return list;
};

/* Seven numbers, position and quaternion, or twelve, the rows of rotation and translation. */
export function poseFrom(list) {
  if (list.length === 7) {
    if (list.slice(3).every((x) => x === 0)) throw new Error('a quaternion of length zero is not a rotation');
    return { p: list.slice(0, 3), q: list.slice(3), m: null };
  }
  const m = [0, 1, 2, 4, 5, 6, 8, 9, 10].map((i) => list[i]);
  return { p: [list[3], list[7], list[11]], q: quaternionOf(m), m };
}

export const poseList = ({ p, q, m }) => (m ? [m[0], m[1], m[2], p[0], m[3], m[4], m[5], p[1], m[6], m[7], m[8], p[2]] : [...p, ...q]);

export function quaternionOf(m) {
  const trace = m[0] + m[4] + m[8];
  let q;
  if (trace > 0) {
    const s = 2 * Math.sqrt(trace + 1);
    q = [(m[7] - m[5]) / s, (m[2] - m[6]) / s, (m[3] - m[1]) / s, s / 4];
  } else if (m[0] > m[4] && m[0] > m[8]) {
    const s = 2 * Math.sqrt(1 + m[0] - m[4] - m[8]);
    q = [s / 4, (m[1] + m[3]) / s, (m[2] + m[6]) / s, (m[7] - m[5]) / s];
  } else if (m[4] > m[8]) {
    const s = 2 * Math.sqrt(1 + m[4] - m[0] - m[8]);
    q = [(m[1] + m[3]) / s, s / 4, (m[5] + m[7]) / s, (m[2] - m[6]) / s];
  } else {
    const s = 2 * Math.sqrt(1 + m[8] - m[0] - m[4]);
    q = [(m[2] + m[6]) / s, (m[5] + m[7]) / s, s / 4, (m[3] - m[1]) / s];
  }
  return q;
}

/* name in the address: [key of the state, from text, to text] */
const pose = [(text) => poseFrom(numbers(text, [7, 12])), (value) => poseList(value).join()];
const yes = [(text) => text === '1', (value) => (value ? '1' : '0')];
const word = [(text) => text, (value) => value];
const whole = [(text) => Math.max(0, Math.floor(numbers(text, [1])[0])), String];
const keys = {
  m: ['mode', ...word], a: ['a', ...word], b: ['b', ...word], pa: ['poseA', ...pose], pb: ['poseB', ...pose], to: ['to', ...pose],
  u: ['u', (text) => numbers(text, [1])[0], String], play: ['play', ...yes], track: ['track', ...yes], plane: ['plane', ...yes], solver: ['solver', ...word],
  k: ['step', ...whole], cam: ['camera', (text) => numbers(text, [3]), (value) => value.map((x) => +x.toFixed(4)).join()],
  view: ['view', (text) => numbers(text, [4, 8]), (value) => value.map((x) => +x.toPrecision(5)).join()], preset: ['preset', ...word], f: ['frame', ...whole], t: ['time', (text) => numbers(text, [1])[0], String], q: ['joints', (text) => Float64Array.from(numbers(text)), (value) => Array.from(value).join()], speed: ['speed', (text) => numbers(text, [1])[0], String],
};

export function readAddress(hash) {
  const state = {};
  for (const part of hash.replace(/^#/, '').split('&')) {
    const [name, text] = part.split(/=(.*)/s);
    if (name === '' || !(name in keys)) continue;
    const [key, read] = keys[name];
    state[key] = read(decodeURIComponent(text ?? ''));
  }
  return state;
}

export function writeAddress(state) {
  const parts = [];
  for (const [name, [key, , write]] of Object.entries(keys)) {
    const value = state[key];
    if (value === undefined || value === null) continue;
    parts.push(`${name}=${encodeURIComponent(write(value)).replace(/%3A/g, ':').replace(/%2C/g, ',').replace(/%2B/g, '+')}`);
  }
  return `#${parts.join('&')}`;
}
