/* The page: loads the library, restores what the address says, and hands over to one of three modes. */
import wasm from 'apart:wasm';
import * as THREE from 'three';
import { load } from '../../../bindings/wasm/apart.js';
import { Drag } from './drag.js';
import { Explore } from './explore.js';
import { identity, PairView } from './pairview.js';
import { presetRecording, presets, unpackBytes } from './presets.js';
import { checkRecording, parseJson, parseRecording } from './recording.js';
import { Replay } from './replay.js';
import { droppedFiles, RobotFiles } from './robotfiles.js';
import { RobotMode } from './robotmode.js';
import { Share } from './share.js';
import { Stage } from './stage.js';
import { poseFrom, readAddress, writeAddress } from './state.js';
import { Step } from './step.js';
import { currentTheme, themes } from './theme.js';
import { copy, h, settle, toast } from './ui.js';

const $ = (id) => document.getElementById(id);
const DEFAULTS = { mode: 'explore', a: 'random:28,11', b: 'box:0.55,0.8,0.4', solver: 'default', step: 0, track: false, plane: true, play: false, speed: 1 };
/* In arrays of doubles: others box what is written into them. */
const copyPose = (pose) => ({ p: Float64Array.from(pose.p), q: Float64Array.from(pose.q), m: pose.m ? [...pose.m] : null });
const LOOK = [0.42, -0.86, 0.4];

class App {
  constructor(apart) {
    this.apart = apart;
    this.themeName = currentTheme();
    this.theme = themes[this.themeName];
    this.stage = new Stage($('canvas'), [$('pane-world'), $('pane-space')]);
    this.stage.setBackground(this.theme.back);
    this.view = new PairView(apart, this.stage, this.theme);
    this.drag = new Drag(this.view, { onMove: (i, turned) => this.moved(i, turned), onSelect: (i) => this.modes?.explore.markSelected(i) });
    this.state = { ...DEFAULTS };
    this.address = location.hash; /* as last written or read */
    this.world = null; /* what replay and robot show */
    this.share = new Share(this);
    this.robotFiles = new RobotFiles(this);
    this.modes = { explore: new Explore(this), step: new Step(this), replay: new Replay(this), robot: new RobotMode(this) };
    this.past = [];
    this.moving = false;
    this.rest = null;
    this.pushNext = false;
    this.comeToRest = settle(400, () => { this.moving = false; this.rest = this.posesNow(); this.announce(); });
    this.save = settle(250, () => this.writeState()); /* browsers allow a page only so many addresses a minute */
    $('panels').append(...Object.values(this.modes).map((mode) => mode.panel));
    this.wire();
  }

  get mode() { return this.modes[this.state.mode]; }

  /* Replay and robot show a recording's world, the others two bodies. */
  get showsWorld() { return this.state.mode === 'replay' || this.state.mode === 'robot'; }

  takeWorld(world) {
    this.world?.free();
    this.world = world;
    this.modes.robot.take(world);
    $('tab-robot').disabled = world.cell === null;
    $('tab-robot').title = world.cell === null ? 'the recording has no robot' : 'take its joints in hand';
  }

  /* ---- state ---- */

  setOptions() { this.view.pair.setOptions({ solver: this.state.mode === 'step' ? this.state.solver : 'default', stats: true }); }

  setBodies(texts) {
    this.view.setBodies(texts);
    [this.state.a, this.state.b] = texts;
    this.setOptions();
  }

  /* Everything anew from a state. */
  load(given) {
    const state = { ...DEFAULTS, poseA: identity(), poseB: { p: [2.15, 0.35, 0.5], q: [0, 0, 0, 1], m: null }, to: null, u: 0, camera: null, view: null, preset: null, ...given };
    if (!(state.mode in this.modes)) throw new Error(`the address names a mode '${state.mode}'; there are explore, step, replay and robot`);
    this.state = state;
    this.view.poses = [copyPose(state.poseA), copyPose(state.poseB)];
    this.setBodies([state.a, state.b]);
    this.modes.explore.placeOnWay();
    this.enter();
    if (!this.showsWorld) this.frame(new THREE.Vector3(...(state.camera ?? LOOK)).normalize());
    this.mode.show();
    if (state.view) this.stage.lookAs(state.view);
    this.listPresets();
    this.rest = this.posesNow();
    this.past.length = 0;
  }

  moved(i, turned) {
    const { state } = this;
    this.remember();
    if (i === 1 && state.to) {
      state.to = null;
      state.play = false;
      this.modes.explore.motion.hidden = true;
    }
    this.view.setPose(i, this.view.poses[i], turned);
    state[i === 0 ? 'poseA' : 'poseB'] = this.view.poses[i]; /* they are one, until a motion begins */
    this.mode.changed?.();
  }

  /* The address of what is shown, to the last digit. */
  addressOfState() {
    const { state } = this;
    const way = this.stage.direction();
    const shown = { ...state, time: state.mode === 'replay' && this.world ? this.modes.replay.time : null, camera: [way.x, way.y, way.z], view: this.stage.look().slice(0, this.showsWorld ? 4 : 8) };
    if (this.showsWorld) for (const key of ['a', 'b', 'poseA', 'poseB', 'to', 'u', 'play', 'track', 'plane', 'solver', 'step']) delete shown[key];
    else for (const key of ['frame', 'time', 'speed', 'joints', ...(state.mode === 'step' ? ['track', 'plane', 'play'] : ['solver', 'step'])]) delete shown[key];
    if (state.mode !== 'robot') delete shown.joints;
    if (state.mode === 'replay') delete shown.frame; /* the time says more */
    if (!shown.to) for (const key of ['to', 'u', 'play']) delete shown[key];
    return writeAddress(shown);
  }

  writeState() {
    if (location.hash !== this.address) return; /* another one has come: its event is on the way */
    this.written = this.share.truth().link ? this.addressOfState() : '#';
    try {
      if (this.pushNext) history.pushState(null, '', this.written);
      else history.replaceState(null, '', this.written);
    } catch {
      location.hash = this.written; /* pages from disk, in some browsers */
    }
    this.address = location.hash;
    this.pushNext = false;
  }

  /* ---- modes ---- */

  enter() {
    const { mode } = this.state;
    document.body.dataset.mode = mode;
    for (const name of Object.keys(this.modes)) {
      this.modes[name].panel.hidden = name !== mode;
      $(`tab-${name}`).setAttribute('aria-selected', String(name === mode));
      $(`tab-${name}`).tabIndex = name === mode ? 0 : -1;
    }
    for (const name of ['replay', 'robot']) if (mode !== name) this.modes[name].hide();
    this.view.setVisible(!this.showsWorld);
    this.drag.enabled = !this.showsWorld;
    this.stage.resize();
    if (!this.showsWorld) for (const pane of this.stage.panes) pane.setFlat(this.view.flat);
  }

  async setMode(mode) {
    if (mode === this.state.mode) return undefined;
    this.writeState(); /* back leads here */
    this.pushNext = true;
    const { state } = this;
    if (mode === 'robot' && !this.world?.cell) {
      if (!this.world) await this.choosePreset('robot', { mode: 'robot' });
      else toast('this recording has no robot: drop a URDF or MJCF with its meshes on the page', 'bad');
      return undefined;
    }
    if (mode === 'replay' && !this.modes.replay.record) {
      if (this.recording) {
        this.showDocument(this.recording, document.title);
        this.inlined = this.dropped;
        return undefined;
      }
      const preset = presets.find((p) => p.recording);
      if (preset) return this.choosePreset(preset.id);
    }
    if (state.to) state.poseB = copyPose(this.view.poses[1]);
    const wasWorld = this.showsWorld;
    const look = wasWorld ? new THREE.Vector3(...LOOK).normalize() : this.stage.direction();
    state.to = null;
    state.play = false;
    state.mode = mode;
    this.setOptions();
    this.enter();
    if (!(wasWorld && this.showsWorld)) {
      this.modes.replay.framed = this.modes.robot.framed = false;
      state.camera = state.view = null;
    } else this.modes.replay.framed = this.modes.robot.framed = true;
    if (mode === 'robot') state.joints = null;
    if (!this.showsWorld) this.frame(look);
    this.mode.show();
    this.save();
    return undefined;
  }

  listPresets() {
    $('presets').value = this.state.preset ?? '';
  }

  async choosePreset(id, over = {}) {
    const preset = presets.find((p) => p.id === id);
    if (!preset) return;
    try {
      this.state.time = over.time ?? null;
      this.state.frame = over.frame ?? 0;
      this.dropped = null;
      if (preset.recording) this.modes.replay.load(await presetRecording(preset.recording), preset.title);
      const calm = matchMedia('(prefers-reduced-motion: reduce)').matches; /* then nothing starts by itself */
      this.load({ ...structuredClone(preset.state), ...(calm ? { play: false } : {}), preset: id, ...over });
      if (preset.recording && Object.keys(over).length === 0 && !calm && this.state.mode === 'replay') this.modes.replay.play();
      this.save();
    } catch (error) {
      toast(error.message, 'bad');
    }
  }

  tellStory(element) {
    const preset = presets.find((p) => p.id === this.state.preset);
    element.hidden = !preset;
    element.replaceChildren(...(preset ? [h('h2', {}, preset.title), h('p', {}, preset.text), preset.source ? h('p', { class: 'source' }, preset.source) : null].filter(Boolean) : []));
  }

  /* ---- files ---- */

  async openFile(file, i = this.drag.selected) {
    try {
      const bytes = new Uint8Array(await file.arrayBuffer());
      if (/\.json$/i.test(file.name)) this.showDocument(parseJson(new TextDecoder().decode(bytes), file.name), file.name);
      else {
        if (this.showsWorld) await this.setMode('explore');
        this.modes.explore.openMesh(bytes, file.name, i);
      }
      this.clearProblem();
    } catch (error) {
      this.problem(error.message);
    }
  }

  pickRecording() {
    const input = h('input', { type: 'file', accept: '.json' });
    input.addEventListener('change', () => input.files[0] && this.openFile(input.files[0]));
    input.click();
  }

  /* Files that were dropped together: a robot with what belongs to it, or the first of them alone. */
  async openFiles(list) {
    try {
      if (await this.robotFiles.find(list) !== null) {
        await this.robotFiles.open(list);
        this.clearProblem();
      } else if (list.some(({ file }) => /\.(srdf|xacro)$/i.test(file.name))) throw new Error(`${list[0].file.name}: drop it together with the robot's URDF or MJCF; xacro is read by the program: apart view ${list[0].file.name}`);
      else if (list.length > 0) await this.openFile(list[0].file);
    } catch (error) {
      this.problem(error.message);
    }
  }

  /* A robot that stands: no timeline, its joints in hand. */
  showRobot(record, name, notes = []) {
    parseRecording(JSON.stringify(record), name);
    this.dropped = record;
    this.state = { ...this.state, mode: 'robot', preset: null, frame: 0, time: null, joints: null, speed: 1, camera: null, view: null };
    this.modes.replay.load(record, name);
    this.world.notes = notes;
    this.modes.robot.world = null;
    this.modes.robot.take(this.world);
    this.enter();
    this.mode.show();
    this.listPresets();
    this.save();
  }

  /* A recording, or two bodies (`apart view A B`). */
  showDocument(value, name, over = {}) {
    if (value !== null && typeof value === 'object' && value.apart_view === 1) return this.showPair(value);
    const record = parseRecording(JSON.stringify(value), name);
    checkRecording(record);
    if (record.kind === 'query') return this.showQuery(record);
    this.dropped = record;
    const stands = record.robot && record.frames.length === 1;
    this.state = { ...this.state, mode: stands ? 'robot' : 'replay', preset: null, frame: 0, time: null, joints: null, speed: 1, camera: null, view: null, ...over };
    this.modes.replay.load(record, name);
    this.enter();
    this.mode.show();
    if (this.state.view) this.stage.lookAs(this.state.view);
    this.listPresets();
    this.save();
    return undefined;
  }

  /* What `apart view` wrote into the page. A recording stays at hand: links and the mode come back to it. */
  showInlined(text) {
    try {
      this.load(structuredClone(presets[0].state));
      const value = parseJson(text, 'the data of this page');
      if (value?.apart_address !== undefined && value.apart_recording === undefined) this.load(readAddress(value.apart_address));
      else this.showDocument(value, document.title, value?.apart_address ? { ...readAddress(value.apart_address), preset: null } : {});
      if (this.showsWorld) {
        this.recording = value;
        this.inlined = this.dropped;
      }
    } catch (error) {
      this.problem(error.message);
    }
  }

  textOf(shape) {
    if (shape.shape !== undefined) return shape.shape;
    return `hull:${shape.vertices.flat().join()}${shape.round > 0 ? `+${shape.round}` : ''}`;
  }

  showPair({ a, b, options }) {
    this.load({ mode: 'explore', a: this.textOf(a), b: this.textOf(b), poseA: poseFrom(a.pose), poseB: poseFrom(b.pose), ...options });
  }

  /* The steps of a query are computed anew: same bits, and the surfaces with them. */
  showQuery(record) {
    const part = (i) => record.shapes[record.bodies[i].parts[0].shape];
    const pose = (i) => (record.frames[0].poses[i] ? poseFrom(record.frames[0].poses[i]) : identity());
    this.load({ mode: 'step', a: this.textOf(part(0)), b: this.textOf(part(1)), poseA: pose(0), poseB: pose(1), step: 0 });
  }

  /* What is wrong stays on the page until it is closed or something else is opened. */
  problem(text) {
    $('problem-text').textContent = text;
    $('problem').hidden = false;
  }

  clearProblem() { $('problem').hidden = true; }

  /* ---- the page ---- */

  setTheme(name) {
    document.documentElement.dataset.theme = name;
    this.applyTheme();
  }

  applyTheme() {
    const name = currentTheme();
    if (name === this.themeName) return;
    this.themeName = name;
    this.theme = themes[name];
    this.stage.setBackground(this.theme.back);
    this.view.recolour(this.theme);
    this.modes.robot.recolour(this.theme);
    this.modes.replay.recolour(this.theme);
    if (this.showsWorld) this.mode.show();
    else this.mode.changed();
  }

  wire() {
    $('presets').append(...presets.map((preset) => h('option', { value: preset.id }, preset.title)));
    $('presets').addEventListener('change', (event) => {
      this.writeState();
      this.pushNext = true;
      this.choosePreset(event.target.value);
    });
    const tabs = Object.keys(this.modes);
    tabs.forEach((name, i) => {
      const tab = $(`tab-${name}`);
      tab.setAttribute('aria-controls', this.modes[name].panel.id);
      this.modes[name].panel.setAttribute('role', 'tabpanel');
      this.modes[name].panel.setAttribute('aria-labelledby', tab.id);
      tab.addEventListener('click', () => this.setMode(name));
      tab.addEventListener('keydown', (event) => this.keyOfTab(event, tabs, i));
    });
    addEventListener('keydown', () => { for (const pane of this.stage.panes) pane.element.classList.remove('by-pointer'); }, { capture: true });
    $('theme').addEventListener('click', () => this.setTheme(this.themeName === 'dark' ? 'light' : 'dark'));
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.applyTheme());
    $('link').addEventListener('click', () => this.share.open());
    $('help').addEventListener('click', () => $('help-box').showModal());
    $('problem-close').addEventListener('click', () => this.clearProblem());
    for (const [id, turning] of [['hand-move', false], ['hand-turn', true]]) $(id).addEventListener('click', () => this.setTurning(turning));
    $('frame').addEventListener('click', () => this.frame());
    addEventListener('keydown', (event) => this.key(event));
    addEventListener('hashchange', () => (location.hash || '#') !== this.written && this.restore());
    addEventListener('popstate', () => { this.pushNext = false; });
    addEventListener('dragover', (event) => event.preventDefault());
    addEventListener('drop', (event) => {
      event.preventDefault();
      droppedFiles(event.dataTransfer).then((list) => this.openFiles(list));
    });
    this.stage.onLook = () => this.save();
  }

  /* Arrows go from tab to tab, past one that is disabled. */
  keyOfTab(event, tabs, i) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    for (let k = 1; k < tabs.length; k++) {
      const name = tabs[(i + by * k + k * tabs.length) % tabs.length];
      if ($(`tab-${name}`).disabled) continue;
      this.setMode(name).then(() => $(`tab-${this.state.mode}`).focus());
      return;
    }
  }

  /* ---- undo, and what a screen reader says ---- */

  /* Where the bodies were before they were moved; one entry for a drag. */
  remember() {
    if (!this.moving) {
      this.past.push(this.rest ?? this.posesNow());
      if (this.past.length > 100) this.past.shift();
    }
    this.moving = true;
    this.comeToRest();
  }

  posesNow() { return this.view.poses.map(copyPose); }

  undo() {
    const poses = this.past.pop();
    if (!poses || this.showsWorld) return;
    this.view.poses = poses.map(copyPose);
    for (const i of [0, 1]) this.view.setPose(i, this.view.poses[i], true);
    [this.state.poseA, this.state.poseB] = this.view.poses;
    this.rest = this.posesNow();
    this.mode.changed?.();
    this.save();
  }

  announce() {
    const { answer } = this.modes.explore;
    if (this.state.mode === 'explore' && answer) $('announce').textContent = `distance ${answer.distance.toPrecision(4)}, ${answer.relation}`;
    else if (this.showsWorld) $('announce').textContent = `${$(this.state.mode === 'replay' ? 'clearance' : 'robot-clearance').textContent}`;
  }

  setTurning(turning) {
    this.drag.turning = turning;
    $('hand-move').setAttribute('aria-pressed', String(!turning));
    $('hand-turn').setAttribute('aria-pressed', String(turning));
  }

  /* Everything as large as it fits; steps have arrows around the bodies, a motion has a way. */
  frame(direction = this.stage.direction()) {
    const { mode, to, poseB } = this.state;
    if (this.showsWorld) this.mode.frameCamera(direction);
    else this.view.frame(direction, mode === 'step' ? 0.76 : 0.86, to ? [poseB, to] : []);
  }

  /* The camera, in both panes. */
  look(right, up) {
    for (const pane of this.view.flat && !this.showsWorld ? this.stage.panes : [this.stage.panes[0]]) pane.orbit(0.08 * right, 0.08 * up);
    this.save();
  }

  zoom(factor) {
    for (const pane of this.stage.panes) pane.zoom(factor);
    this.save();
  }

  key(event) {
    if ((event.ctrlKey || event.metaKey) && event.key === 'z' && !event.target.closest?.('input, textarea')) {
      event.preventDefault();
      this.undo();
      return;
    }
    if (event.ctrlKey || event.metaKey || document.querySelector('dialog[open]')) return;
    const typing = event.target.closest?.('input:not([type=range]):not([type=checkbox]), select, textarea');
    if (typing) return;
    const simple = {
      1: () => this.setMode('explore'), 2: () => this.setMode('step'), 3: () => this.setMode('replay'), 4: () => this.setMode('robot'), a: () => this.drag.select(0), b: () => this.drag.select(1),
      m: () => this.setTurning(false), t: () => this.setTurning(true), f: () => this.frame(), '?': () => $('help-box').showModal(),
      ' ': () => this.playPause(), i: () => this.look(0, 1), k: () => this.look(0, -1), j: () => this.look(-1, 0), l: () => this.look(1, 0), '+': () => this.zoom(1.15), '-': () => this.zoom(1 / 1.15),
    }[event.key];
    const button = event.target.closest?.('button, summary');
    if (simple && !(button && event.key === ' ')) {
      event.preventDefault();
      simple();
      return;
    }
    if (event.target.closest?.('input[type=range]') && event.key.startsWith('Arrow')) return;
    const used = this.state.mode === 'explore' ? this.drag.key(event) : (event.shiftKey && this.state.mode === 'step' ? this.drag.key(event) : this.mode.key(event));
    if (used) event.preventDefault();
  }

  playPause() {
    if (this.state.mode === 'replay') this.modes.replay.toggle();
    else if (this.state.mode === 'explore' && this.state.to) this.modes.explore.setPlay(!this.state.play);
  }

  async restore() {
    this.address = location.hash;
    try {
      const state = readAddress(location.hash);
      const preset = presets.find((p) => p.id === state.preset);
      if (state.mode === 'replay' || state.mode === 'robot' || preset?.recording) {
        const over = { mode: state.mode ?? 'replay', joints: state.joints ?? null, frame: state.frame ?? 0, time: state.time ?? null, speed: state.speed ?? 1, camera: state.camera, view: state.view };
        if (preset?.recording) return await this.choosePreset(preset.id, over);
        if (this.recording) {
          this.showDocument(this.recording, document.title, over);
          this.inlined = this.dropped;
          return undefined;
        }
        throw new Error('the address names a recording that is not in this page: open its file, or the page that was downloaded with it');
      }
      if (preset && Object.keys(state).length === 1) return await this.choosePreset(preset.id);
      this.load(state);
    } catch (error) {
      this.problem(error.message);
      if (!this.view.pair) this.load({ ...structuredClone(presets[0].state), preset: 'first' });
    }
    return undefined;
  }

  run() {
    let last = performance.now();
    const frame = (now) => {
      const seconds = Math.min(0.1, (now - last) / 1000);
      last = now;
      this.mode.tick?.(seconds);
      this.stage.draw();
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }
}

async function start() {
  if (new URLSearchParams(location.search).has('embed')) document.body.dataset.embed = 'yes';
  const apart = await load(await unpackBytes(wasm));
  const app = new App(apart);
  window.apartViewer = app;
  $('version').textContent = apart.version;
  const inlined = $('apart-data').textContent.trim();
  if (inlined !== '' && inlined !== 'null') app.showInlined(inlined);
  if (location.hash.length > 1) await app.restore();
  else if (!app.view.pair) await app.choosePreset('first');
  app.run();
  document.body.dataset.ready = 'yes';
}

start().catch((error) => {
  const box = $('problem');
  box.hidden = false;
  $('problem-text').textContent = /WebGL/i.test(error.message) ? `This page needs WebGL, which this browser does not provide: ${error.message}` : error.message;
  console.error(error);
});
