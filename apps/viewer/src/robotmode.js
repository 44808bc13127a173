/* Robot: the joints in the hand. Sliders, links that are dragged, the nearest pairs, what certifies a motion between two positions. */
import { Arrow, Label, Lines, Spots } from './marks.js';
import { cameras } from './replay.js';
import { Hand, reachFor } from './robothand.js';
import { LinkTree } from './robottree.js';
import * as THREE from 'three';
import { copy, download, h, say, short, throttle, toast } from './ui.js';

const ROWS = 12; /* of the table of pairs */
const ARROWS = 12;
const TURN = Math.PI; /* of a slider without limits, to either side */

const quoted = (value) => String(+value.toPrecision(12));

export class RobotMode {
  constructor(app) {
    this.app = app;
    this.stage = app.stage;
    [this.pane] = app.stage.panes;
    this.panel = h('section', { class: 'panel', id: 'robot-panel' });
    this.world = null;
    this.ends = [null, null]; /* of the motion */
    this.checked = null;
    this.slowTexts = throttle(80, () => this.writeTexts());
    this.hand = new Hand(this.pane, {
      onHover: (body, event) => this.hover(body, event), onPick: (body) => this.tree.select(body),
      onMove: (link, local, target) => { reachFor(this.world.cell, this.world.q, link, local, target); this.moved(); }, onDone: () => this.app.save(),
    });
    this.build();
  }

  get cell() { return this.world.cell; }

  build() {
    const { theme } = this.app;
    const button = (id, text, onclick, title) => h('button', { id, onclick, title }, text);
    this.title = h('h2', { id: 'robot-name' });
    this.clearance = h('output', { class: 'number', id: 'robot-clearance' });
    this.who = h('div', { class: 'bounds', id: 'robot-nearest' });
    this.joints = h('div', { id: 'joints' });
    this.states = h('select', { id: 'robot-state', 'aria-label': 'named positions', onchange: () => { this.toState(this.states.value); this.states.value = ''; } });
    this.pairs = h('table', { id: 'pairs' });
    this.mutedList = h('div', { id: 'muted' });
    this.arrowBox = h('input', { type: 'checkbox', id: 'arrows', checked: true, onchange: () => this.draw() });
    this.tip = h('div', { id: 'tip', hidden: true });
    this.tree = new LinkTree(this);
    this.limit = h('input', { type: 'number', id: 'motion-limit', step: 'any', min: '0', value: '0' });
    this.way = h('input', { type: 'range', id: 'motion-way', min: '0', max: '1', step: 'any', value: '0', 'aria-label': 'along the motion', oninput: () => this.along(this.way.valueAsNumber) });
    this.verdict = h('p', { class: 'sentence verdict', id: 'motion-verdict' });
    this.endTexts = [h('span', { class: 'bounds' }, 'not set'), h('span', { class: 'bounds' }, 'not set')];
    this.worstButton = button('motion-worst', 'worst moment', () => this.toWorst());
    this.timelineButton = button('motion-timeline', 'open as timeline', () => this.openTimeline());
    this.notes = h('details', { id: 'robot-notes' });
    this.panel.append(this.title,
      h('div', { class: 'answer' }, h('span', { class: 'caption' }, 'nearest pair'), this.clearance, this.who),
      h('div', { class: 'buttons' }, this.states, button('robot-rest', 'rest', () => this.to(this.cell.rest())), button('robot-random', 'random', () => this.toRandom()), h('label', { class: 'check' }, this.arrowBox, 'gradient')),
      h('h3', {}, 'joints'), this.joints,
      h('h3', {}, 'nearest pairs'), this.pairs, this.mutedList,
      h('h3', {}, 'a motion between two positions, certified'),
      h('div', { class: 'motion-ends' }, button('motion-from', 'start here', () => this.setEnd(0)), this.endTexts[0], button('motion-to', 'end here', () => this.setEnd(1)), this.endTexts[1]),
      h('div', { class: 'buttons' }, h('label', { class: 'check' }, 'at least', this.limit), button('motion-check', 'certify', () => this.certify())),
      this.verdict, this.way, h('div', { class: 'buttons' }, this.worstButton, this.timelineButton),
      h('h3', {}, 'links'), this.tree.element,
      h('div', { class: 'buttons cameras' }, ...Object.keys(cameras).map((name) => h('button', { 'data-camera': name, onclick: () => this.setCamera(name) }, name))),
      h('div', { class: 'buttons' }, button('robot-command', 'copy as command', () => this.copyCommand()), button('open-robot', 'open a robot', () => this.app.robotFiles.pick()), h('button', { onclick: () => this.app.share.downloadPage() }, 'download this page')),
      this.notes);
    this.pane.element.append(this.tip);
    this.gap = new Lines(1, 3.5, theme.measure);
    this.spots = new Spots(2, 9, theme.measure, theme.spot);
    this.arrows = Array.from({ length: ARROWS }, () => new Arrow(3, theme.simplex));
    this.label = new Label(this.pane, '', 'measure');
    this.label.visible = false;
    this.worstButton.hidden = this.timelineButton.hidden = this.way.hidden = true;
  }

  /* ---- a robot ---- */

  take(world) {
    if (world === this.world) return;
    this.world = world;
    this.hand.world = world;
    this.ends = [null, null];
    this.checked = null;
    this.framed = false;
    if (!world.cell) return;
    const { robot, units } = world.record;
    this.unit = units?.length ?? '';
    say(this.title, robot.name);
    this.joints.replaceChildren(...this.cell.variables.map((variable, v) => this.makeJoint(variable, v)));
    const states = Object.keys(robot.states ?? {});
    this.states.replaceChildren(h('option', { value: '' }, 'positions …'), ...states.map((name) => h('option', { value: name }, name)));
    this.states.hidden = states.length === 0;
    this.rowsOfPairs = Array.from({ length: ROWS }, (_, i) => this.makePairRow(i));
    this.pairs.replaceChildren(h('tr', {}, h('th', {}, 'pair'), h('th', {}, 'distance'), h('th', {})), ...this.rowsOfPairs.map(({ row }) => row));
    this.tree.build();
    this.writeEnds();
    this.writeMuted();
    say(this.verdict, '');
    this.worstButton.hidden = this.timelineButton.hidden = this.way.hidden = true;
    const notes = world.notes ?? [];
    this.notes.hidden = notes.length === 0;
    this.notes.replaceChildren(h('summary', {}, `${notes.length} note${notes.length === 1 ? '' : 's'} of the reader`), ...notes.map((note) => h('p', { class: 'hint' }, note)));
  }

  makeJoint({ name, kind, lower, upper }, v) {
    const bounded = Number.isFinite(lower) && Number.isFinite(upper);
    const [min, max] = bounded ? [lower, upper] : kind === 'sliding' ? [-this.cell.reach, this.cell.reach] : [-TURN, TURN];
    const set = (value) => { if (Number.isFinite(value)) { this.world.q[v] = value; this.moved(); } };
    const range = h('input', { type: 'range', min: String(min), max: String(max), step: 'any', 'aria-label': name, 'data-joint': name, oninput: () => set(range.valueAsNumber), onchange: () => this.app.save() });
    const number = h('input', { type: 'number', step: kind === 'sliding' ? '0.001' : '0.01', 'aria-label': `${name}, ${kind === 'sliding' ? this.unit || 'length' : 'radians'}`, onchange: () => set(number.valueAsNumber) });
    const bar = h('i');
    const ends = bounded ? `${short(lower, 3)} to ${short(upper, 3)}${kind === 'sliding' ? ` ${this.unit}` : ' rad'}` : 'without limits';
    const row = h('div', { class: 'joint', title: `${name}: ${kind}, ${ends}` }, h('span', {}, name), range, number, h('div', { class: 'slope' }, bar), h('small', {}, ends));
    this.jointRows = v === 0 ? [] : this.jointRows;
    this.jointRows.push({ row, range, number, bar, lower, upper });
    return row;
  }

  makePairRow(i) {
    const name = h('button', { class: 'link', title: 'look at it', onclick: () => this.lookAt(i) });
    const value = h('td');
    const mute = h('button', { class: 'link mute', title: 'mute: leave this pair out', 'aria-label': 'mute this pair', onclick: () => this.mute(i) }, '×');
    const row = h('tr', {}, h('td', {}, name), value, h('td', {}, mute));
    return { row, name, value, near: null };
  }

  /* ---- positions ---- */

  to(q) {
    this.world.q.set(q);
    this.moved();
    this.app.save();
  }

  toState(name) {
    const state = this.world.record.robot.states[name];
    if (!state) return;
    const q = Float64Array.from(this.world.q);
    this.cell.names.forEach((joint, v) => { if (joint in state) q[v] = state[joint]; });
    this.to(q);
  }

  toRandom() {
    this.to(this.cell.variables.map(({ lower, upper, kind }) => {
      const [from, to] = [Number.isFinite(lower) ? lower : kind === 'sliding' ? 0 : -TURN, Number.isFinite(upper) ? upper : kind === 'sliding' ? 0 : TURN];
      return from + Math.random() * (to - from);
    }));
  }

  moved() {
    this.app.state.joints = this.world.q;
    this.draw();
  }

  changed() { this.draw(); }

  /* ---- drawing ---- */

  draw() {
    if (!this.world?.cell || !this.world.root.visible) return;
    this.world.placeRobot(this.world.q);
    const { cell } = this;
    const list = cell.nearestOf(Math.max(ROWS, 1));
    [this.pair] = list;
    this.unique = cell.gradientOfNear();
    this.gap.join(0, this.pair.point_a, 0, this.pair.point_b, 0);
    this.gap.count(1);
    this.spots.copy(0, this.pair.point_a, 0);
    this.spots.copy(1, this.pair.point_b, 0);
    this.spots.count(2);
    this.label.beside(this.pair.point_a, this.pair.point_b, this.world.root.world);
    this.label.visible = true;
    this.placeArrows();
    this.placeSliders();
    this.slowTexts();
    this.stage.invalidate();
  }

  placeSliders() {
    const { q } = this.world;
    for (let v = 0; v < this.jointRows.length; v++) {
      const { range } = this.jointRows[v];
      if (range.valueAsNumber !== q[v]) range.valueAsNumber = q[v];
    }
  }

  /* About which axes, and which way round, a turn leads away fastest: right-handed arrows along the joints' axes. */
  placeArrows() {
    const { cell } = this;
    const shown = this.arrowBox.checked;
    let most = 0;
    for (let v = 0; v < cell.count; v++) most = Math.max(most, Math.abs(cell.gradient[v]));
    const { joints } = this.world.record.robot;
    for (let v = 0; v < ARROWS; v++) {
      const arrow = this.arrows[v];
      arrow.visible = false;
      if (!shown || v >= cell.count || !(Math.abs(cell.gradient[v]) > 0.02 * most) || !(most > 1e-9 * cell.reach)) continue;
      const { joint } = cell.variables[v];
      const m = cell.linkPose(joint + 1);
      const axis = joints[joint].axis;
      const sign = Math.sign(cell.gradient[v]);
      const way = [0, 1, 2].map((k) => sign * (m[4 * k] * axis[0] + m[4 * k + 1] * axis[1] + m[4 * k + 2] * axis[2]));
      arrow.place([m[3], m[7], m[11]], way, (0.06 + 0.16 * Math.abs(cell.gradient[v]) / most) * cell.reach);
    }
  }

  writeTexts() {
    if (!this.world?.cell || !this.world.root.visible) return;
    const { cell, pair } = this;
    const name = ({ a, b }) => `${this.world.nameOf(a)} – ${this.world.nameOf(b)}`;
    say(this.clearance, `${short(pair.distance, 5)} ${this.unit}`);
    this.clearance.dataset.value = String(pair.distance);
    this.clearance.title = `certified: at least ${pair.lower}, at most ${pair.upper}`;
    say(this.who, name(pair));
    this.label.set(short(pair.distance, 3));
    let most = 1e-300;
    for (let v = 0; v < cell.count; v++) most = Math.max(most, Math.abs(cell.gradient[v]));
    this.jointRows.forEach(({ row, number, bar, lower, upper }, v) => {
      const q = this.world.q[v];
      if (document.activeElement !== number) number.value = String(+q.toFixed(6));
      const slope = most > 1e-9 * cell.reach ? cell.gradient[v] / most : 0;
      bar.style.width = `${50 * Math.abs(slope)}%`;
      bar.style.left = slope < 0 ? `${50 - 50 * Math.abs(slope)}%` : '50%';
      row.classList.toggle('at-limit', q <= lower || q >= upper);
      row.classList.toggle('beyond', q < lower || q > upper);
    });
    const limit = this.limit.valueAsNumber || 0;
    this.rowsOfPairs.forEach((pairRow, i) => {
      pairRow.row.hidden = i >= cell.listed;
      if (pairRow.row.hidden) return;
      const near = cell.list[i];
      pairRow.near = { pair: near.pair, a: near.a, b: near.b, point_a: [...near.point_a], point_b: [...near.point_b] };
      say(pairRow.name, name(near));
      say(pairRow.value, short(near.distance, 4));
      pairRow.row.classList.toggle('breach', near.distance < limit);
    });
  }

  hover(body, event) {
    this.tip.hidden = body < 0;
    if (body >= 0) {
      say(this.tip, this.world.nameOf(body));
      this.tip.style.left = `${event.offsetX + 14}px`;
      this.tip.style.top = `${event.offsetY + 10}px`;
    }
    this.pane.element.style.cursor = body >= 0 ? 'grab' : '';
    this.tree.hover(body);
  }

  /* ---- pairs ---- */

  lookAt(i) {
    const { near } = this.rowsOfPairs[i];
    if (!near) return;
    const at = new THREE.Vector3(...near.point_a).add(new THREE.Vector3(...near.point_b)).multiplyScalar(0.5).applyMatrix4(this.world.root.world);
    const { camera, controls } = this.pane;
    const way = camera.position.clone().sub(controls.target);
    const gap = Math.hypot(...near.point_a.map((x, k) => x - near.point_b[k]));
    way.setLength(Math.max(4 * gap, 0.35 * this.cell.reach));
    controls.target.copy(at);
    camera.position.copy(at).add(way);
    controls.update();
    this.tree.select(near.a, near.b);
    this.stage.invalidate();
  }

  mute(i) {
    const { near } = this.rowsOfPairs[i];
    this.setMuted([...this.world.muted, [near.a, near.b]]);
  }

  setMuted(muted) {
    const before = this.world.muted;
    this.world.muted = muted;
    try {
      this.world.makeCell();
    } catch (error) {
      this.world.muted = before;
      toast(error.message, 'bad');
    }
    this.app.modes.replay.cellChanged(this.world);
    this.checked = null;
    say(this.verdict, '');
    this.writeMuted();
    this.draw();
    this.writeTexts();
  }

  srdf() {
    const lines = this.world.muted.map(([a, b]) => `  <disable_collisions link1="${this.world.nameOf(a)}" link2="${this.world.nameOf(b)}" reason="User"/>`);
    return `<?xml version="1.0"?>\n<robot name="${this.world.record.robot.name}">\n${lines.join('\n')}\n</robot>\n`;
  }

  writeMuted() {
    const { muted } = this.world;
    this.mutedList.replaceChildren(...(muted.length === 0 ? [] : [
      h('p', { class: 'hint' }, `muted: ${muted.length}`),
      ...muted.map(([a, b], i) => h('div', { class: 'muted-pair' }, `${this.world.nameOf(a)} – ${this.world.nameOf(b)} `, h('button', { class: 'link', onclick: () => this.setMuted(muted.filter((_, k) => k !== i)) }, 'look at it again'))),
      h('div', { class: 'buttons' }, h('button', { id: 'copy-srdf', onclick: async () => { await copy(this.srdf()); toast('the SRDF is in the clipboard'); } }, 'copy as SRDF'), h('button', { id: 'save-srdf', onclick: () => download(`${this.world.record.robot.name}.srdf`, this.srdf()) }, 'save SRDF'))]));
  }

  /* ---- a motion ---- */

  setEnd(i) {
    this.ends[i] = Float64Array.from(this.world.q);
    this.checked = null;
    this.writeEnds();
    if (this.ends[0] && this.ends[1]) this.certify();
  }

  writeEnds() {
    this.ends.forEach((q, i) => say(this.endTexts[i], q ? [...q].map((x) => short(x, 3)).join(', ') : 'not set'));
    this.way.hidden = !(this.ends[0] && this.ends[1]);
  }

  certify() {
    if (!(this.ends[0] && this.ends[1])) return void say(this.verdict, 'Set where the motion starts and where it ends.');
    const found = this.cell.motion({ q0: this.ends[0], q1: this.ends[1] });
    this.checked = found;
    const limit = this.limit.valueAsNumber || 0;
    const names = `${this.world.nameOf(found.a)} and ${this.world.nameOf(found.b)}`;
    const kept = found.lower >= limit;
    const broken = found.upper < limit;
    this.verdict.dataset.verdict = kept ? 'proved' : broken ? 'refuted' : 'undecided';
    this.verdict.dataset.lower = String(found.lower);
    say(this.verdict, `${kept ? 'Proved' : broken ? 'Refuted' : 'Undecided'}: between ${short(found.lower, 6)} and ${short(found.upper, 6)} ${this.unit} at the nearest, ${Math.round(1000 * found.s) / 10} % of the way, ${names}. ${found.queries} queries.`);
    this.worstButton.hidden = this.timelineButton.hidden = false;
    this.writeEnds();
    this.draw();
    return undefined;
  }

  along(s) {
    this.cell.segmentAt({ q0: this.ends[0], q1: this.ends[1] }, s, this.world.q);
    this.moved();
  }

  toWorst() {
    this.way.valueAsNumber = this.checked.s;
    this.along(this.checked.s);
    this.writeTexts();
  }

  /* The motion as a recording of its own, with this robot. */
  openTimeline() {
    const { record, notes, muted } = this.world;
    const [q0, q1] = this.ends.map((q) => [...q]);
    const limit = this.limit.valueAsNumber || 0;
    const poses = record.frames[0].poses;
    const key = (a, b) => `${Math.min(a, b)} ${Math.max(a, b)}`;
    const out = new Set(muted.map(([a, b]) => key(a, b)));
    const made = { ...record, kind: 'clearance', title: `${record.robot.name}: a motion made by hand`, ...(limit > 0 ? { limit } : {}), robot: { ...record.robot, pairs: record.robot.pairs.filter(([a, b]) => !out.has(key(a, b))) },
      motion: { t: [0, 1], q: [q0, q1], lower: [this.checked.lower, null] }, frames: [{ t: 0, poses, pairs: [] }, { t: 1, poses: poses.map(() => null), pairs: [] }] };
    this.app.showDocument(made, made.title);
    this.app.modes.replay.world.notes = notes;
  }

  /* ---- words ---- */

  copyCommand() {
    copy(this.command());
    toast('the command is in the clipboard');
  }

  command() {
    const joints = this.cell.names.map((name, v) => `${name}=${quoted(this.world.q[v])}`).join(',');
    return `apart clearance ${this.world.record.robot.command ?? 'ROBOT'} --joints "${joints}"`;
  }

  /* ---- mode ---- */

  setCamera(name) {
    this.frameCamera(new THREE.Vector3(...cameras[name]).normalize());
    this.app.save();
  }

  frameCamera(direction) {
    this.pane.setFlat(false);
    const list = [];
    const p = new THREE.Vector3();
    for (const { group, corners } of this.world.bodies) for (const corner of corners) list.push(...p.copy(corner).applyQuaternion(group.quaternion).add(group.position).applyMatrix4(this.world.root.world).toArray());
    this.pane.frame(list, direction);
    this.framed = true;
    this.stage.invalidate();
  }

  show() {
    if (!this.world?.cell) return;
    this.world.setVisible(true);
    this.world.root.add(this.gap, this.spots, ...this.arrows);
    this.hand.enabled = true;
    this.stage.resize();
    const { joints, camera } = this.app.state;
    if (joints && joints !== this.world.q && joints.length === this.cell.count) this.world.q.set(joints);
    this.draw();
    if (!this.framed) this.frameCamera(new THREE.Vector3(...(camera ?? cameras.corner)).normalize());
    this.writeTexts();
  }

  hide() {
    this.hand.enabled = false;
    this.hover(-1, null);
    for (const thing of [this.gap, this.spots, ...this.arrows]) this.world?.root.remove(thing);
    this.label.visible = false;
    this.world?.setVisible(false);
    this.stage.invalidate();
  }

  recolour(theme) {
    this.gap.setColour(theme.measure);
    this.spots.dress(theme.measure, theme.spot);
    for (const arrow of this.arrows) arrow.setColour(theme.simplex);
  }

  key() { return false; }
}
