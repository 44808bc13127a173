/* Replay: a recording with play, pause, scrubbing; the nearest pair and its clearance, and a timeline that finds where it is small. */
import { Chart } from './chart.js';
import { Label, Lines, Spots } from './marks.js';
import { Curve, Motion } from './motion.js';
import { Nearest } from './nearest.js';
import { poseFrom } from './state.js';
import * as THREE from 'three';
import { h, say, short, throttle } from './ui.js';
import { World } from './world.js';

export const cameras = { corner: [0.62, -0.72, 0.42], front: [0, -1, 0.08], side: [1, 0, 0.08], top: [0, -0.02, 1] };
/* Lines of the timeline besides the nearest pair. */
const OTHERS = 5;
const SLICE = 6; /* milliseconds a frame for the curve between the frames */
const NOTHING = { t: [], y: [] };

/* Digits behind the point that tell a few hundred moments of so long a time apart. */
function clockDigits(duration) {
  if (!(duration > 0)) return 2;
  return duration > 50 ? 1 : Math.min(9, Math.max(2, 2 - Math.floor(Math.log10(duration))));
}

export class Replay {
  constructor(app) {
    this.app = app;
    this.stage = app.stage;
    [this.pane] = app.stage.panes;
    this.panel = h('section', { class: 'panel', id: 'replay-panel' });
    this.target = new THREE.Vector3();
    this.point = new THREE.Vector3();
    this.local = { a: new THREE.Vector3(), b: new THREE.Vector3() };
    this.turned = new THREE.Quaternion();
    this.end = [new Float64Array(3), new Float64Array(3)];
    this.world = null;
    this.playing = this.loop = this.follow = false;
    this.time = 0;
    this.value = NaN;
    this.lines = new Map();
    this.slowTexts = throttle(100, () => this.writeTexts());
    this.build();
  }

  get record() { return this.world?.record ?? null; }

  build() {
    const button = (id, text, title, onclick) => h('button', { id, title, 'aria-label': title, onclick }, text);
    this.story = h('div', { class: 'story' });
    this.title = h('h2', { id: 'recording-title' });
    this.facts = h('dl', { class: 'facts' });
    this.caption = h('span', { class: 'caption' }, 'nearest pair');
    this.clearance = h('output', { class: 'number', id: 'clearance' });
    this.who = h('div', { class: 'bounds', id: 'nearest' });
    this.note = h('p', { class: 'sentence', id: 'frame-label' });
    this.series = h('select', { id: 'series', 'aria-label': 'what the chart shows', onchange: () => this.setSeries(this.series.value) });
    this.legend = h('ul', { class: 'legend' });
    this.lineKey = h('ul', { class: 'legend', id: 'timeline-key' });
    this.chart = new Chart((time) => { this.pause(); this.seek(time); });
    this.playButton = h('button', { class: 'round big', id: 'play', title: 'play or pause (space)', onclick: () => this.toggle() }, '▶');
    this.slider = h('input', { type: 'range', min: '0', max: '1', step: 'any', id: 'scrub', 'aria-label': 'time', oninput: () => { this.pause(); this.seek(this.t0 + Number(this.slider.value) * (this.t1 - this.t0)); } });
    this.clock = h('output', { class: 'count', id: 'clock' });
    this.counter = h('output', { class: 'count', id: 'frame-count' });
    this.speed = h('select', { id: 'speed', 'aria-label': 'speed', onchange: () => { this.app.state.speed = Number(this.speed.value); this.app.save(); } },
      ...[0.1, 0.25, 0.5, 1, 2, 4, 10].map((s) => h('option', { value: String(s), selected: s === 1 }, `${s}×`)));
    const view = (name) => h('button', { 'data-camera': name, onclick: () => this.setCamera(name) }, name);
    this.followBox = h('input', { type: 'checkbox', id: 'follow', onchange: () => { this.follow = this.followBox.checked; this.draw(); } });
    this.loopBox = h('input', { type: 'checkbox', id: 'loop', onchange: () => { this.loop = this.loopBox.checked; } });
    this.chartTitle = h('span', { id: 'chart-title' });
    this.worstButton = button('worst', 'worst moment', 'go to the smallest value', () => this.goToWorst());
    this.nextButton = button('next-violation', 'next violation', 'go to the next time below the limit', () => this.goToBreach());
    this.bar = h('div', { class: 'transport', id: 'transport' },
      h('div', { class: 'transport-head' }, this.chartTitle, this.worstButton, this.nextButton), this.chart.svg,
      h('div', { class: 'controls' }, this.playButton, this.slider),
      h('div', { class: 'transport-foot' },
        h('span', { class: 'steps' }, button('frame-first', '|‹', 'first frame (Home)', () => this.toFrame(0)), button('frame-back', '‹', 'a frame back (←)', () => this.stepFrame(-1)), this.counter, button('frame-on', '›', 'a frame on (→)', () => this.stepFrame(1)), button('frame-last', '›|', 'last frame (End)', () => this.toFrame(Infinity))),
        this.clock, h('label', { class: 'check' }, this.loopBox, 'loop'), this.speed));
    this.takeButton = h('button', { id: 'take', onclick: () => this.app.setMode('robot') }, 'take the joints in hand');
    this.panel.append(this.story, this.title,
      h('div', { class: 'answer' }, h('div', { class: 'top' }, this.caption), this.clearance, this.who),
      this.note, h('label', { class: 'field wide' }, h('span', {}, 'chart'), this.series), this.lineKey,
      h('div', { class: 'buttons cameras' }, ...Object.keys(cameras).map(view), h('label', { class: 'check' }, this.followBox, 'follow')),
      this.facts, this.legend,
      h('div', { class: 'buttons' }, this.takeButton, h('button', { id: 'open-recording', onclick: () => this.app.pickRecording() }, 'open a recording'), h('button', { id: 'download-page', onclick: () => this.app.share.downloadPage() }, 'download this page')));
    document.getElementById('stage').append(this.bar);
    this.bar.hidden = true;
    this.gap = new Lines(1, 3.5, this.app.theme.measure);
    this.ends = new Spots(2, 9, this.app.theme.measure, this.app.theme.spot);
    this.label = new Label(this.pane, '', 'measure');
    this.label.visible = false;
  }

  /* ---- a recording ---- */

  load(record, name) {
    const world = new World(this.app, record, name);
    this.app.takeWorld(world);
    this.world = world;
    this.unit = record.units?.length ?? '';
    this.timeUnit = record.units?.time ?? '';
    this.t = world.t;
    this.motion = world.cell && record.motion ? new Motion(record.motion, world.cell) : null;
    const from = Math.min(this.t[0], this.motion?.t[0] ?? Infinity);
    [this.t0, this.t1] = [from, Math.max(this.t.at(-1), this.motion?.t.at(-1) ?? -Infinity)];
    this.time = this.t0;
    this.clockDigits = clockDigits(this.t1 - this.t0);
    this.app.state.frame = Math.min(this.app.state.frame ?? 0, this.t.length - 1);
    world.root.add(this.gap, this.ends);
    this.findPairs();
    this.curve = this.motion && this.motion.t.length > 1 ? new Curve(this.motion, world.cell, this.t) : null;
    this.makeSeries();
    this.framed = false;
    this.describe();
  }

  /* The nearest pair of every frame: as recorded or, where a motion has none, what the library finds at the frame's own poses. */
  findPairs() {
    const { record } = this;
    const { meshes, bodies, poses } = this.world;
    const parts = record.bodies.map((body) => body.parts.map((part) => {
      const { p, q } = part.pose ? poseFrom(part.pose) : { p: [0, 0, 0], q: [0, 0, 0, 1] };
      return { shape: part.shape, plane: meshes[part.shape].plane, p: new THREE.Vector3(...p), q: new THREE.Quaternion(...q).normalize() };
    }));
    this.nearest?.free();
    this.nearest = new Nearest(this.app.apart, record, meshes.map(({ shape }) => shape), parts);
    const n = bodies.length;
    const pose = { position: new THREE.Vector3(), quaternion: new THREE.Quaternion() };
    const poseAt = (f, b) => {
      const at = 7 * (f * n + b);
      pose.position.fromArray(poses, at);
      pose.quaternion.fromArray(poses, at + 3).normalize();
      return pose;
    };
    /* Points in arrays of doubles, as those that are computed: reading other kinds boxes what is read. */
    const doubles = (list) => (list ? Float64Array.from(list) : undefined);
    this.first = this.nearest.fill(poseAt).map((pair) => pair && { ...pair, point_a: doubles(pair.point_a), point_b: doubles(pair.point_b) });
    this.firstKnown = this.first.findIndex((pair) => pair !== null);
  }

  /* Lines by name: { t, y }. Of a robot's motion the curve comes bit by bit. */
  makeSeries() {
    const { frames } = this.record;
    const names = [...new Set(frames.flatMap((frame) => Object.keys(frame.values ?? {})))];
    this.lines = new Map();
    if (this.curve) this.lines.set('clearance', { t: this.curve.t, y: this.curve.least });
    else if (this.firstKnown >= 0) this.lines.set('clearance', { t: this.t, y: this.first.map((pair) => pair?.distance ?? NaN) });
    for (const name of names) if (!this.lines.has(name)) this.lines.set(name, { t: this.t, y: frames.map((frame) => frame.values?.[name] ?? NaN) });
    this.series.replaceChildren(...[...this.lines.keys()].map((name) => h('option', { value: name }, name)));
    const still = this.t1 === this.t0;
    this.bar.classList.toggle('still', still);
    this.chart.svg.style.display = this.lines.size > 0 && !still ? '' : 'none';
    if (this.lines.size > 0) this.setSeries(this.lines.keys().next().value);
  }

  /* The pairs that come nearest, each as a line: of a robot all that were computed, else what was recorded. */
  otherLines() {
    const { theme } = this.app;
    const colours = [theme.a, theme.b, theme.difference, theme.simplex, theme.surface];
    const name = ([a, b]) => `${this.world.nameOf(a)} – ${this.world.nameOf(b)}`;
    if (this.curve) return this.curve.worst(OTHERS).map((pair, i) => ({ t: this.curve.t, y: this.curve.pairs.get(pair), colour: colours[i], name: name(this.world.cell.pairs[pair]) }));
    const pairs = new Map();
    this.record.frames.forEach((frame, f) => (frame.pairs ?? []).forEach(({ a, b, distance }) => {
      const key = `${a} ${b}`;
      if (!pairs.has(key)) pairs.set(key, { a, b, y: this.t.map(() => NaN), least: Infinity, count: 0 });
      const row = pairs.get(key);
      row.y[f] = distance;
      row.least = Math.min(row.least, distance);
      row.count += 1;
    }));
    return [...pairs.values()].filter((row) => row.count > 1).sort((p, q) => p.least - q.least).slice(0, OTHERS)
      .map((row, i) => ({ t: this.t, y: row.y, colour: colours[i], name: name([row.a, row.b]) }));
  }

  setSeries(name) {
    this.chosen = name;
    const clearance = name === 'clearance';
    const line = this.lines.get(name) ?? NOTHING;
    const others = clearance && !(this.curve && !this.curve.complete) ? this.otherLines() : [];
    say(this.chartTitle, this.chart.set({ ...line, from: this.t0, to: this.t1, limit: clearance ? this.record.limit : undefined, name: clearance ? 'clearance of the nearest pair' : name,
      unit: clearance ? this.unit : '', timeUnit: this.timeUnit, least: clearance, others: others.length > 1 ? others : [], bands: clearance ? this.motion?.bands ?? [] : [] }));
    const bands = clearance && (this.motion?.bands.length ?? 0) > 0;
    this.lineKey.replaceChildren(...(others.length > 1 ? others.map((other) => h('li', {}, h('i', { style: `background:${other.colour}` }), other.name)) : []),
      ...(bands ? [h('li', {}, h('i', { class: 'c-certified' }), 'certified: nothing comes nearer')] : []));
    this.nextButton.hidden = this.chart.zones.length === 0;
    this.worstButton.hidden = this.chart.lowest < 0 || !clearance;
    this.draw();
  }

  describe() {
    const { record } = this;
    const row = (name, value) => [h('dt', {}, name), h('dd', {}, value)];
    say(this.title, record.title ?? this.world.name);
    this.title.hidden = false;
    const between = this.motion ? 'the joints’ motion' : record.frames.length > 1 ? 'a picture only' : '';
    this.facts.replaceChildren(...row('kind', record.kind), ...row('bodies', String(record.bodies.length)), ...row('frames', String(record.frames.length)),
      ...(between ? row('between them', between) : []), ...row('time', `${short(this.t0, 4)} to ${short(this.t1, 4)}${this.timeUnit ? ` ${this.timeUnit}` : ''}`), ...(record.limit !== undefined ? row('limit', `${short(record.limit, 4)} ${this.unit}`) : []));
    const roleOf = (body) => body.role ?? 'moving';
    const roles = [...new Set(record.bodies.map(roleOf))].filter((role) => role !== 'moving' || record.bodies.filter((body) => roleOf(body) === role).length === 1);
    this.legend.replaceChildren(...roles.map((role) => {
      /* A half-space is grey whatever its role: the colour is that of the others. */
      const of = this.world.bodies.filter((_, i) => roleOf(record.bodies[i]) === role);
      return h('li', {}, h('i', { style: `background:${(of.find(({ ground }) => !ground) ?? of[0]).colour}` }), role);
    }), ...(record.paths ?? []).map((path) => h('li', {}, h('i', { class: 'c-path' }), path.name ?? 'path')));
    this.takeButton.hidden = !this.world.cell;
    this.seek(this.app.state.time ?? this.t[this.app.state.frame]);
  }

  /* A pair was muted: the same timeline without it. */
  cellChanged(world) {
    if (world !== this.world || !this.motion) return;
    this.motion = new Motion(this.record.motion, world.cell);
    this.curve = this.motion.t.length > 1 ? new Curve(this.motion, world.cell, this.t) : null;
    if (world.muted.length > 0) this.motion.bands = []; /* they are certified for all pairs; without some they are lower than need be */
    this.makeSeries();
  }

  /* ---- camera ---- */

  frameCamera(direction) {
    this.pane.setFlat(false);
    this.pane.frame(this.world.reached(), direction);
    this.framed = true;
    this.stage.invalidate();
  }

  setCamera(name) {
    this.follow = this.followBox.checked = false;
    this.frameCamera(new THREE.Vector3(...cameras[name]).normalize());
    this.draw();
    this.app.save();
  }

  /* The camera goes along with what moves. */
  followBodies() {
    this.target.set(0, 0, 0);
    const { bodies } = this.record;
    let count = 0;
    for (let i = 0; i < bodies.length; i++) {
      if (bodies[i].role === 'fixed' || bodies[i].role === 'obstacle') continue;
      this.target.add(this.world.bodies[i].group.position);
      count += 1;
    }
    if (count === 0) return;
    this.target.divideScalar(count).applyMatrix4(this.world.root.world);
    const { camera, controls } = this.pane;
    camera.position.add(this.target).sub(controls.target);
    controls.target.copy(this.target);
  }

  /* ---- time ---- */

  toggle() { if (this.playing) this.pause(); else this.play(); }

  play() {
    if (this.time >= this.t1) this.time = this.t0;
    this.playing = true;
    this.playButton.textContent = '❚❚';
    this.playButton.setAttribute('aria-label', 'pause');
  }

  pause() {
    this.playing = false;
    this.playButton.textContent = '▶';
    this.playButton.setAttribute('aria-label', 'play');
    if (this.record) this.writeTexts();
    this.app.save();
  }

  /* Recordings without seconds play in ten. */
  rate() { return (this.timeUnit === 's' ? 1 : (this.t1 - this.t0) / 10) * (this.app.state.speed ?? 1); }

  tick(seconds) {
    if (this.curve && !this.curve.complete) this.computeCurve(SLICE);
    if (!this.playing) return;
    const to = this.time + seconds * this.rate();
    this.seek(this.loop && to > this.t1 ? this.t0 : Math.min(this.t1, to));
    if (this.time >= this.t1 && !this.loop) this.pause();
  }

  /* The line grows while it is computed, a few times. */
  computeCurve(budget) {
    const { curve } = this;
    const before = Math.floor((4 * curve.done) / curve.t.length);
    curve.step(budget);
    if (this.chosen === 'clearance' && Math.floor((4 * curve.done) / curve.t.length) > before) this.setSeries('clearance');
    else this.draw();
  }

  /* The last frame that is not after the time. */
  frameAt(time) {
    let low = 0;
    let high = this.t.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.t[middle] <= time) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  seek(time) {
    this.time = Math.min(this.t1, Math.max(this.t0, time));
    this.app.state.frame = this.frameAt(this.time);
    this.draw();
  }

  toFrame(frame) {
    this.pause();
    this.seek(this.t[Math.max(0, Math.min(this.t.length - 1, frame))]);
  }

  /* From between two frames, back goes to the first of them. */
  stepFrame(by) {
    const f = this.frameAt(this.time);
    this.toFrame(by < 0 && this.time > this.t[f] ? f : f + by);
  }

  goToWorst() {
    this.pause();
    const { t } = this.chart.data;
    this.seek(t[this.chart.lowest]);
  }

  /* To the worst moment of the next time below the limit. */
  goToBreach() {
    this.pause();
    let next = this.chart.nextBreach(this.time);
    if (next && next.worst <= this.time && this.time <= next.to) next = this.chart.nextBreach(next.to);
    if (next) this.seek(next.worst);
  }

  key(event) {
    if (!this.record) return false;
    const keys = { ArrowLeft: () => this.stepFrame(-1), ArrowRight: () => this.stepFrame(1), Home: () => this.toFrame(0), End: () => this.toFrame(Infinity), w: () => this.goToWorst(), n: () => this.goToBreach() };
    if (!(event.key in keys)) return false;
    keys[event.key]();
    return true;
  }

  /* ---- drawing ---- */

  draw() {
    if (!this.record || !this.world.root.visible) return;
    const f = this.app.state.frame;
    const next = Math.min(f + 1, this.t.length - 1);
    this.u = next > f ? (this.time - this.t[f]) / (this.t[next] - this.t[f] || 1) : 0;
    if (this.motion) this.drawMotion();
    else this.drawFrames(f, next);
    if (this.follow) this.followBodies();
    this.drawTime(f);
    if (this.playing) this.slowTexts();
    else this.writeTexts();
    this.stage.invalidate();
  }

  /* A robot is where its joints are, and the library is asked there. */
  drawMotion() {
    this.world.placeRobot(this.motion.at(this.time));
    this.pair = this.world.cell.nearest();
    this.value = this.pair.distance;
    this.about = false;
    this.drawGap(this.pair.point_a, this.pair.point_b);
  }

  /* Between two frames nothing is asked: the value is on the line between the recorded ones, and the points go with their bodies. */
  drawFrames(f, next) {
    const { u } = this;
    this.world.placeBetween(f, next, u);
    const pair = this.first[f];
    const after = this.first[next];
    this.pair = pair;
    this.about = pair !== null && u > 0;
    this.value = pair === null ? NaN : u > 0 && after !== null ? pair.distance + u * (after.distance - pair.distance) : pair.distance;
    if (!pair?.point_a || !pair.point_b) return this.drawGap(null, null);
    if (u === 0) return this.drawGap(pair.point_a, pair.point_b);
    const same = after !== null && after.a === pair.a && after.b === pair.b && after.point_a && after.point_b;
    if (same) {
      for (let i = 0; i < 3; i++) {
        this.end[0][i] = pair.point_a[i] + u * (after.point_a[i] - pair.point_a[i]);
        this.end[1][i] = pair.point_b[i] + u * (after.point_b[i] - pair.point_b[i]);
      }
    } else {
      this.carry(pair.a, pair.point_a, f, this.end[0]);
      this.carry(pair.b, pair.point_b, f, this.end[1]);
    }
    return this.drawGap(this.end[0], this.end[1]);
  }

  /* Where a point of a body is now that was there at a frame. */
  carry(body, point, f, out) {
    const { poses, bodies } = this.world;
    const at = 7 * (f * bodies.length + body);
    const { position, quaternion } = bodies[body].group;
    this.turned.fromArray(poses, at + 3).normalize().invert();
    this.point.fromArray(point).sub(this.target.fromArray(poses, at)).applyQuaternion(this.turned).applyQuaternion(quaternion).add(position);
    out[0] = this.point.x;
    out[1] = this.point.y;
    out[2] = this.point.z;
  }

  drawGap(a, b) {
    const drawn = a !== null;
    if (drawn) {
      this.gap.join(0, a, 0, b, 0);
      this.ends.copy(0, a, 0);
      this.ends.copy(1, b, 0);
      this.label.beside(a, b, this.world.root.world);
    }
    this.gap.count(drawn ? 1 : 0);
    this.ends.count(drawn ? 2 : 0);
    this.label.visible = drawn;
  }

  drawTime(f) {
    this.slider.valueAsNumber = (this.time - this.t0) / (this.t1 - this.t0 || 1);
    if (this.lines.size === 0) return;
    if (this.chosen === 'clearance') return this.chart.place(this.time, this.value);
    const { y } = this.lines.get(this.chosen);
    return this.chart.place(this.time, this.u > 0 && Number.isFinite(y[f + 1]) ? y[f] + this.u * (y[f + 1] - y[f]) : y[f]);
  }

  writeTexts() {
    if (!this.record || !this.world.root.visible) return;
    const f = this.frameAt(this.time);
    const frame = this.record.frames[f];
    const { pair, about } = this;
    const value = this.lines.get(this.chosen)?.y[f];
    const other = !pair && Number.isFinite(value) && this.chosen !== 'clearance';
    const text = pair ? `${about ? '≈ ' : ''}${short(this.value, about ? 3 : Math.abs(this.value) < 1e-4 ? 4 : 5)}` : '';
    if (pair) this.label.set(`${about ? '≈ ' : ''}${short(this.value, 3)}`);
    say(this.caption, other ? this.chosen : about ? 'nearest pair, between two frames' : 'nearest pair');
    say(this.clearance, pair ? `${text}${this.unit ? ` ${this.unit}` : ''}` : other ? short(value, 6) : '—');
    this.clearance.classList.toggle('about', about);
    this.label.element.classList.toggle('about', about);
    this.clearance.dataset.value = pair ? String(this.value) : '';
    this.clearance.dataset.about = about ? 'yes' : '';
    say(this.who, pair ? `${this.world.nameOf(pair.a)} and ${this.world.nameOf(pair.b)}` : other ? '' : this.whyNothing(f));
    say(this.note, frame.label ?? '');
    this.note.hidden = !frame.label || (this.motion !== null && this.time - this.t[f] > 0.01 * (this.t1 - this.t0));
    say(this.counter, `frame ${f + 1} of ${this.t.length}${this.u > 0 ? ' +' : ''}`);
    say(this.clock, `${this.time.toFixed(this.clockDigits)}${this.timeUnit ? ` ${this.timeUnit}` : ''}`);
  }

  whyNothing(f) {
    if (this.firstKnown > f) return `nothing was measured yet: the first recorded pair is at ${short(this.t[this.firstKnown], 3)}${this.timeUnit ? ` ${this.timeUnit}` : ''}`;
    return this.firstKnown < 0 ? 'the recording has no pairs' : 'no pair was recorded here';
  }

  recolour(theme) {
    this.gap.setColour(theme.measure);
    this.ends.dress(theme.measure, theme.spot);
    if (!this.record) return;
    const { time, world: { record, name, muted, q } } = this;
    this.load(record, name);
    this.world.muted = muted;
    if (this.world.cell && muted.length > 0) this.world.makeCell();
    if (q) this.world.q.set(q);
    this.framed = true; /* the camera stays */
    this.app.state.time = time;
  }

  show() {
    this.app.tellStory(this.story);
    if (!this.record) return;
    this.title.hidden = !this.story.hidden;
    this.world.setVisible(true);
    this.bar.hidden = false;
    this.stage.resize();
    if (!this.framed) this.frameCamera(new THREE.Vector3(...(this.app.state.camera ?? cameras.corner)).normalize());
    this.speed.value = String(this.app.state.speed ?? 1);
    const { time } = this.app.state;
    this.app.state.time = null; /* was to be gone to once */
    this.seek(time ?? this.time);
    if (this.lines.size > 0) this.chart.draw();
  }

  hide() {
    this.pause();
    this.world?.setVisible(false);
    this.gap.count(0);
    this.ends.count(0);
    this.label.visible = false;
    this.bar.hidden = true;
  }
}
