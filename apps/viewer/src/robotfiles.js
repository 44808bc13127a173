/* Robots from files that were dropped or picked: URDF or MJCF with meshes, SRDF and a scene, read by the library's own readers. */
import { poseRows, readRobot } from '../../../bindings/wasm/robot.js';
import { parseJson } from './recording.js';
import { h } from './ui.js';

/* All files of a drop, folders included: [{ name, file }]; the browser gives entries only while the event lasts. */
export async function droppedFiles(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (entries.length === 0) return [...transfer.files].map((file) => ({ name: file.name, file }));
  const list = [];
  const walk = async (entry, folder) => {
    if (entry.isFile) {
      list.push({ name: folder + entry.name, file: await new Promise((done, failed) => { entry.file(done, failed); }) });
      return;
    }
    const reader = entry.createReader();
    for (;;) {
      const some = await new Promise((done, failed) => { reader.readEntries(done, failed); });
      if (some.length === 0) return;
      for (const child of some) await walk(child, `${folder}${entry.name}/`);
    }
  };
  for (const entry of entries) await walk(entry, '');
  return list;
}

const rotation = ([roll, pitch, yaw]) => {
  const [a, b, c] = [roll / 2, pitch / 2, yaw / 2];
  const [sr, cr, sp, cp, sy, cy] = [Math.sin(a), Math.cos(a), Math.sin(b), Math.cos(b), Math.sin(c), Math.cos(c)];
  return [sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy, cr * cp * cy + sr * sp * sy];
};

const NUMBERS = /^\s*(xyz|rpy|quat_wxyz|quat_xyzw|matrix)\s*=\s*(.*)$/;

/* "xyz=1,2,3 rpy=0,0,1" as an object. */
function poseText(text, where) {
  const out = {};
  for (const word of text.trim().split(/\s+/)) {
    const match = NUMBERS.exec(word);
    const numbers = match?.[2].split(',').map(Number);
    if (!match || !numbers.every(Number.isFinite)) throw new Error(`${where}: '${word}' is not known here`);
    out[match[1]] = numbers;
  }
  return out;
}

/* Twelve numbers from a pose of a scene (docs/scene.md). */
function scenePose(given, where) {
  if (given === undefined || given === null) return poseRows(null);
  const pose = typeof given === 'string' ? poseText(given, where) : given;
  if (Array.isArray(pose)) throw new Error(`${where}: expected an object, as docs/scene.md has it`);
  const t = pose.xyz ?? [0, 0, 0];
  if (pose.matrix) {
    const m = pose.matrix.flat();
    return [m[0], m[1], m[2], t[0], m[3], m[4], m[5], t[1], m[6], m[7], m[8], t[2]];
  }
  const quat = pose.quat_wxyz ? [...pose.quat_wxyz.slice(1), pose.quat_wxyz[0]] : pose.quat_xyzw;
  return poseRows([...t, ...(quat ?? rotation(pose.rpy ?? [0, 0, 0]))]);
}

const compose = (a, b) => [0, 1, 2].flatMap((i) => [0, 1, 2, 3].map((j) => a[4 * i] * b[j] + a[4 * i + 1] * b[4 + j] + a[4 * i + 2] * b[8 + j] + (j === 3 ? a[4 * i + 3] : 0)));

/* The bodies of a scene as obstacles, with the shapes they need. What the page cannot read is the program's. */
export function readScene(value, name) {
  if (!Array.isArray(value.bodies)) throw new Error(`${name}: expected "bodies", an array`);
  const instead = `the program reads it: apart view ROBOT --scene ${name}`;
  const shapes = [];
  const named = value.shapes ?? {};
  const parts = (shape, at, round, where) => {
    const text = typeof shape === 'string';
    if (text && Object.hasOwn(named, shape)) return parts(named[shape], at, round, `${name}: shapes.${shape}`);
    if (text && !shape.includes(':')) throw new Error(`${where}: '${shape}' is a file; ${instead}`);
    if (text) {
      shapes.push({ shape: round > 0 ? `${shape}+${round}` : shape });
      return [{ shape: shapes.length - 1, pose: at }];
    }
    if (Array.isArray(shape?.parts)) return shape.parts.flatMap((part, i) => parts(part.shape, compose(at, scenePose(part.pose, where)), part.round ?? 0, `${where}.parts[${i}]`));
    if (shape?.shape !== undefined) return parts(shape.shape, at, shape.round ?? 0, where);
    throw new Error(`${where}: ${instead}`);
  };
  const obstacles = value.bodies.map((body, i) => {
    const where = `${name}: bodies[${i}]`;
    if (body.motion) throw new Error(`${where}: it moves; ${instead}`);
    return { name: body.name ?? `body ${i}`, parts: parts(body.shape, poseRows(null), body.round ?? 0, `${where}.shape`), pose: scenePose(body.pose, `${where}.pose`) };
  });
  return { shapes, obstacles };
}

export class RobotFiles {
  constructor(app) { this.app = app; }

  pick() {
    const input = h('input', { type: 'file', multiple: true, webkitdirectory: true });
    input.addEventListener('change', () => this.open([...input.files].map((file) => ({ name: file.webkitRelativePath || file.name, file }))));
    input.click();
  }

  /* Is a robot among these files? Its path, or null. */
  async find(list) {
    const urdf = list.find(({ name }) => /\.urdf$/i.test(name));
    if (urdf) return urdf.name;
    for (const { name, file } of list) {
      if (!/\.(xml|mjcf)$/i.test(name)) continue;
      const start = await file.slice(0, 4096).text();
      if (/<mujoco[\s>]/.test(start) || (/<robot[\s>]/.test(start) && /<link[\s>]/.test(await file.text()))) return name;
    }
    return null;
  }

  /* The robot of these files; with its SRDF and scene if there are any. */
  async open(list) {
    const path = await this.find(list);
    if (path === null) throw new Error('there is no URDF or MJCF among these files');
    const files = await Promise.all(list.filter(({ file }) => file.size < 2 ** 28).map(async ({ name, file }) => ({ name, bytes: new Uint8Array(await file.arrayBuffer()) })));
    const srdf = list.find(({ name }) => /\.srdf$/i.test(name))?.name ?? null;
    let scene = { shapes: [], obstacles: [] };
    let sceneName = null;
    for (const { name, file } of list) {
      if (!/\.json$/i.test(name)) continue;
      const value = parseJson(await file.text(), name);
      if (!Array.isArray(value?.bodies) || value.apart_recording) continue;
      scene = readScene(value, name);
      sceneName = name;
    }
    const { record, notes } = readRobot(this.app.apart, files, path, { srdf, ...scene });
    record.robot.command = [path, ...(srdf ? ['--srdf', srdf] : []), ...(sceneName ? ['--scene', sceneName] : [])].join(' ');
    this.app.showRobot(record, path, notes);
  }
}
