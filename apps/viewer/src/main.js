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
    this.modes = { explore: new Explore(this), step: new Step(this), replay: new Replay(this) };
    this.save = settle(250, () => this.writeState()); /* browsers allow a page only so many addresses a minute */
    $('panels').append(...Object.values(this.modes).map((mode) => mode.panel));
    this.wire();
  }

  get mode() { return this.modes[this.state.mode]; }

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
    if (!(state.mode in this.modes)) throw new Error(`the address names a mode '${state.mode}'; there are explore, step and replay`);
    this.state = state;
    this.view.poses = [copyPose(state.poseA), copyPose(state.poseB)];
    this.setBodies([state.a, state.b]);
    this.modes.explore.placeOnWay();
    this.enter();
    if (state.mode !== 'replay') this.frame(new THREE.Vector3(...(state.camera ?? LOOK)).normalize());
    this.mode.show();
    if (state.view) this.stage.lookAs(state.view);
    this.listPresets();
  }

  moved(i, turned) {
    const { state } = this;
    if (i === 1 && state.to) {
      state.to = null;
      state.play = false;
      this.modes.explore.motion.hidden = true;
    }
    this.view.setPose(i, this.view.poses[i], turned);
    state[i === 0 ? 'poseA' : 'poseB'] = this.view.poses[i]; /* they are one, until a motion begins */
    this.mode.changed?.();
  }

  writeState() {
    if (location.hash !== this.address) return; /* another one has come: its event is on the way */
    const { state } = this;
    const way = this.stage.direction();
    const shown = { ...state, camera: [way.x, way.y, way.z], view: this.stage.look().slice(0, state.mode === 'replay' ? 4 : 8) };
    const hull = ['a', 'b'].some((key) => state[key].length > 6000);
    if (state.mode === 'replay') for (const key of ['a', 'b', 'poseA', 'poseB', 'to', 'u', 'play', 'track', 'plane', 'solver', 'step']) delete shown[key];
    else for (const key of ['frame', 'speed', ...(state.mode === 'step' ? ['track', 'plane', 'play'] : ['solver', 'step'])]) delete shown[key];
    if (!shown.to) for (const key of ['to', 'u', 'play']) delete shown[key];
    this.written = hull ? '#' : writeAddress(shown);
    try {
      history.replaceState(null, '', this.written);
    } catch {
      location.hash = this.written; /* pages from disk, in some browsers */
    }
    this.address = location.hash;
  }

  /* ---- modes ---- */

  enter() {
    const { mode } = this.state;
    document.body.dataset.mode = mode;
    for (const name of Object.keys(this.modes)) {
      this.modes[name].panel.hidden = name !== mode;
      $(`tab-${name}`).setAttribute('aria-selected', String(name === mode));
    }
    if (mode !== 'replay') this.modes.replay.hide();
    this.view.setVisible(mode !== 'replay');
    this.drag.enabled = mode !== 'replay';
    this.stage.resize();
    if (mode !== 'replay') for (const pane of this.stage.panes) pane.setFlat(this.view.flat);
  }

  async setMode(mode) {
    if (mode === this.state.mode) return;
    const { state } = this;
    if (mode === 'replay' && !this.modes.replay.record) {
      if (this.recording) return void this.showDocument(this.recording, document.title);
      const preset = presets.find((p) => p.recording);
      if (preset) return void this.choosePreset(preset.id);
    }
    if (state.to) state.poseB = copyPose(this.view.poses[1]);
    const look = state.mode === 'replay' ? new THREE.Vector3(...LOOK).normalize() : this.stage.direction();
    state.to = null;
    state.play = false;
    state.mode = mode;
    this.setOptions();
    this.enter();
    this.modes.replay.framed = false;
    state.camera = state.view = null;
    if (mode !== 'replay') this.frame(look);
    this.mode.show();
    this.save();
  }

  listPresets() {
    $('presets').value = this.state.preset ?? '';
  }

  async choosePreset(id, over = {}) {
    const preset = presets.find((p) => p.id === id);
    if (!preset) return;
    try {
      if (preset.recording) this.modes.replay.load(await presetRecording(preset.recording), preset.title);
      const calm = matchMedia('(prefers-reduced-motion: reduce)').matches; /* then nothing starts by itself */
      this.load({ ...structuredClone(preset.state), ...(calm ? { play: false } : {}), preset: id, ...over });
      if (preset.recording && Object.keys(over).length === 0 && !calm) this.modes.replay.play();
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
        if (this.state.mode === 'replay') await this.setMode('explore');
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

  /* A recording, or two bodies (`apart view A B`). */
  showDocument(value, name, over = {}) {
    if (value !== null && typeof value === 'object' && value.apart_view === 1) return this.showPair(value);
    const record = parseRecording(JSON.stringify(value), name);
    checkRecording(record);
    if (record.kind === 'query') return this.showQuery(record);
    this.state = { ...this.state, mode: 'replay', preset: null, frame: 0, speed: 1, camera: null, view: null, ...over };
    this.modes.replay.load(record, name);
    this.enter();
    this.modes.replay.show();
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
      this.showDocument(value, document.title);
      if (this.state.mode === 'replay') this.recording = value;
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
    this.modes.replay.recolour(this.theme);
    if (this.state.mode !== 'replay') this.mode.changed();
  }

  wire() {
    $('presets').append(...presets.map((preset) => h('option', { value: preset.id }, preset.title)));
    $('presets').addEventListener('change', (event) => this.choosePreset(event.target.value));
    for (const name of Object.keys(this.modes)) $(`tab-${name}`).addEventListener('click', () => this.setMode(name));
    $('theme').addEventListener('click', () => this.setTheme(this.themeName === 'dark' ? 'light' : 'dark'));
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.applyTheme());
    $('link').addEventListener('click', async () => {
      this.writeState();
      if (this.written === '#') {
        toast('this hull is too large for a link: save it, and show it with apart view', 'bad');
        return;
      }
      await copy(location.href);
      toast('the link is in the clipboard');
    });
    $('help').addEventListener('click', () => $('help-box').showModal());
    $('problem-close').addEventListener('click', () => this.clearProblem());
    for (const [id, turning] of [['hand-move', false], ['hand-turn', true]]) $(id).addEventListener('click', () => this.setTurning(turning));
    $('frame').addEventListener('click', () => this.frame());
    addEventListener('keydown', (event) => this.key(event));
    addEventListener('hashchange', () => (location.hash || '#') !== this.written && this.restore());
    addEventListener('dragover', (event) => event.preventDefault());
    addEventListener('drop', (event) => {
      event.preventDefault();
      if (event.dataTransfer.files[0]) this.openFile(event.dataTransfer.files[0]);
    });
    this.stage.onLook = () => this.save();
  }

  setTurning(turning) {
    this.drag.turning = turning;
    $('hand-move').setAttribute('aria-pressed', String(!turning));
    $('hand-turn').setAttribute('aria-pressed', String(turning));
  }

  /* Everything as large as it fits; steps have arrows around the bodies, a motion has a way. */
  frame(direction = this.stage.direction()) {
    const { mode, to, poseB } = this.state;
    if (mode === 'replay') this.modes.replay.frameCamera(direction);
    else this.view.frame(direction, mode === 'step' ? 0.76 : 0.86, to ? [poseB, to] : []);
  }

  /* The camera, in both panes. */
  look(right, up) {
    for (const pane of this.view.flat && this.state.mode !== 'replay' ? this.stage.panes : [this.stage.panes[0]]) pane.orbit(0.08 * right, 0.08 * up);
    this.save();
  }

  zoom(factor) {
    for (const pane of this.stage.panes) pane.zoom(factor);
    this.save();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || document.querySelector('dialog[open]')) return;
    const typing = event.target.closest?.('input:not([type=range]):not([type=checkbox]), select, textarea');
    if (typing) return;
    const simple = {
      1: () => this.setMode('explore'), 2: () => this.setMode('step'), 3: () => this.setMode('replay'), a: () => this.drag.select(0), b: () => this.drag.select(1),
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
      if (state.mode === 'replay' || preset?.recording) {
        const over = { frame: state.frame ?? 0, speed: state.speed ?? 1, camera: state.camera, view: state.view };
        if (preset?.recording) return await this.choosePreset(preset.id, over);
        if (this.recording) return this.showDocument(this.recording, document.title, over);
        throw new Error('the address names a recording that is not in this page: open its file');
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
