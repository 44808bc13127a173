/* Replay: a recording with play, pause, scrubbing; the nearest pair and its clearance. */
import { makeBody } from './bodies.js';
import { meshOfFaces, meshOfPoints } from './geometry.js';
import { Chart } from './chart.js';
import { Nearest } from './nearest.js';
import { poseFrom } from './state.js';
import { Label, Lines, makeFloor, niceStep, sheetOf, Solid, Spots } from './marks.js';
import { Place } from './paint.js';
import { shade } from './pairview.js';
import * as THREE from 'three';
import { roleColour } from './theme.js';
import { h, say, short, throttle } from './ui.js';

const cameras = { corner: [0.62, -0.72, 0.42], front: [0, -1, 0.08], side: [1, 0, 0.08], top: [0, -0.02, 1] };

/* Position and unit quaternion in seven floats. */
function readPose(list, out, at) {
  const { p, q } = poseFrom(list);
  const length = Math.hypot(...q);
  out.set([...p, ...q.map((x) => x / length)], at);
}

/* Digits behind the point that tell a few hundred moments of so long a time apart. */
function clockDigits(duration) {
  if (!(duration > 0)) return 2;
  return duration > 50 ? 1 : Math.min(9, Math.max(2, 2 - Math.floor(Math.log10(duration))));
}

/* A shape of a recording, and a mesh of it in the shape's frame. */
function meshOf(apart, shape) {
  if (shape.mesh) return { shape: null, mesh: meshOfFaces(shape.vertices, shape.faces, 28), plane: false, dim: 3, free: () => {} };
  const text = shape.shape ?? (shape.round > 0 ? `hull:${shape.vertices.flat().join()}+${shape.round}` : null);
  if (text !== null) return makeBody(apart, text);
  const points = Float64Array.from(shape.vertices.flat());
  const made = apart.hull(points);
  /* A face of many corners is the end of a round link: its sides are shaded as one. */
  const round = made.hull.faces().some((face) => face.length >= 12);
  return { shape: made, mesh: meshOfPoints(apart, points, round ? 28 : 0), plane: false, dim: 3, free: () => made.free() };
}

export class Replay {
  constructor(app) {
    this.app = app;
    this.stage = app.stage;
    [this.pane] = app.stage.panes;
    this.panel = h('section', { class: 'panel', id: 'replay-panel' });
    this.root = new Place();
    this.root.visible = false;
    this.pane.scene.add(this.root);
    this.bodies = [];
    this.from = new THREE.Quaternion();
    this.to = new THREE.Quaternion();
    this.target = new THREE.Vector3();
    this.record = null;
    this.playing = false;
    this.time = 0;
    this.follow = false;
    this.slowTexts = throttle(100, () => this.writeTexts());
    this.build();
  }

  build() {
    this.story = h('div', { class: 'story' });
    this.title = h('h2', { id: 'recording-title' });
    this.facts = h('dl', { class: 'facts' });
    this.caption = h('span', { class: 'caption' }, 'nearest pair');
    this.clearance = h('output', { class: 'number', id: 'clearance' });
    this.who = h('div', { class: 'bounds', id: 'nearest' });
    this.note = h('p', { class: 'sentence', id: 'frame-label' });
    this.series = h('select', { id: 'series', 'aria-label': 'what the chart shows', onchange: () => this.setSeries(this.series.value) });
    this.legend = h('ul', { class: 'legend' });
    this.chart = new Chart((time) => { this.pause(); this.seek(time); });
    this.playButton = h('button', { class: 'round big', id: 'play', title: 'play or pause (space)', onclick: () => this.toggle() }, '▶');
    this.slider = h('input', { type: 'range', min: '0', max: '1', step: 'any', id: 'scrub', 'aria-label': 'time', oninput: () => { this.pause(); this.seek(this.t0 + Number(this.slider.value) * (this.t1 - this.t0)); } });
    this.clock = h('output', { class: 'count', id: 'clock' });
    this.speed = h('select', { id: 'speed', 'aria-label': 'speed', onchange: () => { this.app.state.speed = Number(this.speed.value); this.app.save(); } },
      ...[0.1, 0.25, 0.5, 1, 2, 4, 10].map((s) => h('option', { value: String(s), selected: s === 1 }, `${s}×`)));
    const view = (name) => h('button', { 'data-camera': name, onclick: () => this.setCamera(name) }, name);
    this.followBox = h('input', { type: 'checkbox', id: 'follow', onchange: () => { this.follow = this.followBox.checked; this.draw(); } });
    this.chartTitle = h('span', { id: 'chart-title' });
    this.bar = h('div', { class: 'transport', id: 'transport' }, h('div', { class: 'transport-head' }, this.chartTitle, this.clock, this.speed), this.chart.svg,
      h('div', { class: 'controls' }, this.playButton, this.slider));
    this.panel.append(this.story, this.title,
      h('div', { class: 'answer' }, h('div', { class: 'top' }, this.caption), this.clearance, this.who),
      this.note, h('label', { class: 'field wide' }, h('span', {}, 'chart'), this.series),
      h('div', { class: 'buttons cameras' }, ...Object.keys(cameras).map(view), h('label', { class: 'check' }, this.followBox, 'follow')),
      this.facts, this.legend,
      h('div', { class: 'buttons' }, h('button', { id: 'open-recording', onclick: () => this.app.pickRecording() }, 'open a recording')));
    document.getElementById('stage').append(this.bar);
    this.bar.hidden = true;
    this.gap = new Lines(1, 3.5, this.app.theme.measure);
    this.ends = new Spots(2, 9, this.app.theme.measure, this.app.theme.spot);
    this.label = new Label(this.pane, '', 'measure');
    this.label.visible = false;
  }

  /* ---- a recording ---- */

  clear() {
    this.nearest?.free();
    for (const mesh of this.meshes ?? []) mesh.free();
    for (const { group } of this.bodies) group.dispose();
    for (const lines of this.paths ?? []) lines.dispose();
    this.root.clear();
    if (this.floor) {
      this.pane.scene.remove(this.floor);
      this.floor.dispose();
    }
    this.bodies = [];
  }

  load(record, name) {
    const meshes = [];
    record.shapes.forEach((shape, i) => {
      try {
        meshes.push(meshOf(this.app.apart, shape));
      } catch (error) {
        for (const mesh of meshes) mesh.free();
        throw new Error(`${name}: shapes[${i}]: ${error.message}`);
      }
    });
    this.clear();
    this.record = record;
    this.name = name;
    this.meshes = meshes;
    this.hasFloor = !meshes.some(({ plane }) => plane);
    this.unit = record.units?.length ?? '';
    this.timeUnit = record.units?.time ?? '';
    this.t = record.frames.map((frame) => frame.t);
    [this.t0, this.t1] = [this.t[0], this.t.at(-1)];
    this.time = this.t0;
    this.clockDigits = clockDigits(this.t1 - this.t0);
    this.app.state.frame = Math.min(this.app.state.frame ?? 0, this.t.length - 1);
    this.readPoses();
    this.makeBodies();
    this.findPairs();
    this.makeSeries();
    this.root.quaternion.setFromEuler(new THREE.Euler(record.up === 'y' ? Math.PI / 2 : 0, record.up === 'x' ? -Math.PI / 2 : 0, 0));
    this.root.update(this.pane.scene.world);
    this.placeFloor();
    this.framed = false;
    this.describe();
  }

  readPoses() {
    const { frames, bodies } = this.record;
    const n = bodies.length;
    this.poses = new Float64Array(7 * n * frames.length);
    frames.forEach((frame, f) => frame.poses.forEach((pose, b) => {
      const at = 7 * (f * n + b);
      if (pose !== null) readPose(pose, this.poses, at);
      else if (f > 0) this.poses.copyWithin(at, at - 7 * n, at - 7 * n + 7);
      else this.poses.set([0, 0, 0, 0, 0, 0, 1], at);
    }));
  }

  /* The nearest pair of every frame, and whether the library finds the same as the recording: then it is asked between frames too. */
  findPairs() {
    const parts = this.record.bodies.map((body) => body.parts.map((part) => {
      const { p, q } = part.pose ? poseFrom(part.pose) : { p: [0, 0, 0], q: [0, 0, 0, 1] };
      return { shape: part.shape, plane: this.meshes[part.shape].plane, p: new THREE.Vector3(...p), q: new THREE.Quaternion(...q).normalize() };
    }));
    this.nearest = new Nearest(this.app.apart, this.record, this.meshes.map(({ shape }) => shape), parts);
    const n = this.bodies.length;
    const pose = { position: new THREE.Vector3(), quaternion: new THREE.Quaternion() };
    const poseAt = (f, b) => {
      const at = 7 * (f * n + b);
      pose.position.fromArray(this.poses, at);
      pose.quaternion.fromArray(this.poses, at + 3).normalize();
      return pose;
    };
    this.first = this.nearest.fill(poseAt);
    const f = this.first.findIndex((pair) => pair !== null);
    this.live = false;
    if (f < 0 || !this.first.every((pair) => pair === null || this.nearest.known(pair.a, pair.b))) return;
    const { a, b, distance } = this.first[f];
    const poseA = { position: poseAt(f, a).position.clone(), quaternion: pose.quaternion.clone() };
    this.live = Math.abs(this.nearest.ask(a, poseA, b, poseAt(f, b)).distance - distance) < 1e-5 * (1 + Math.abs(distance));
  }

  makeBodies() {
    const { theme } = this.app;
    this.root.add(this.gap, this.ends);
    this.floor = makeFloor(theme.grid);
    this.pane.scene.add(this.floor);
    let moving = 0;
    this.record.bodies.forEach((body) => {
      const group = new Place();
      /* Bodies that move are told apart from their neighbours. */
      const role = body.role ?? 'moving';
      const ground = body.parts.some((part) => this.meshes[part.shape].plane);
      const colour = body.colour ?? (ground ? theme.fixed : role === 'moving' ? [theme.b, theme.a][moving++ % 2] : roleColour(theme, role));
      for (const part of body.parts) {
        const { mesh, plane, numbers, dim } = this.meshes[part.shape];
        const pose = part.pose ? poseFrom(part.pose) : { p: [0, 0, 0], q: [0, 0, 0, 1] };
        const solid = new Solid({ colour, line: shade(colour, 0.5), width: 1.2, flat: dim === 2, opacity: dim === 2 ? 0.5 : 1 });
        if (plane) solid.add(sheetOf(numbers, colour, 0.25, this.planeSize()));
        else solid.wear(mesh);
        solid.position.set(...pose.p);
        solid.quaternion.set(...pose.q);
        group.add(solid);
      }
      this.root.add(group);
      this.bodies.push({ group, corners: this.cornersOf(body), colour });
    });
    this.paths = (this.record.paths ?? []).map((path) => {
      const lines = new Lines(Math.max(1, path.points.length - 1), 2.5, theme.ink, { through: false, opacity: 0.75 });
      path.points.slice(1).forEach((p, i) => lines.put(i, ...path.points[i], ...p));
      lines.count(path.points.length - 1);
      return lines;
    });
    this.root.add(...this.paths);
  }

  /* Of a box around the body, in its own frame; none for a half-space. */
  cornersOf(body) {
    const box = new THREE.Box3();
    const p = new THREE.Vector3();
    for (const part of body.parts) {
      const { mesh, plane } = this.meshes[part.shape];
      if (plane) continue;
      const pose = part.pose ? poseFrom(part.pose) : { p: [0, 0, 0], q: [0, 0, 0, 1] };
      this.to.set(...pose.q).normalize();
      for (let i = 0; i < mesh.corners.length; i += 3) box.expandByPoint(p.fromArray(mesh.corners, i).applyQuaternion(this.to).add(this.target.set(...pose.p)));
    }
    if (box.isEmpty()) return [];
    return [0, 1, 2, 3, 4, 5, 6, 7].map((k) => new THREE.Vector3(k & 1 ? box.min.x : box.max.x, k & 2 ? box.min.y : box.max.y, k & 4 ? box.min.z : box.max.z));
  }

  planeSize() {
    let most = 0.5;
    for (let i = 0; i < this.poses.length; i += 7) most = Math.max(most, Math.abs(this.poses[i]), Math.abs(this.poses[i + 1]), Math.abs(this.poses[i + 2]));
    return 2.6 * most;
  }

  makeSeries() {
    const { frames } = this.record;
    const names = [...new Set(frames.flatMap((frame) => Object.keys(frame.values ?? {})))];
    this.lines = new Map();
    if (this.first.some((pair) => pair !== null)) this.lines.set('clearance', this.first.map((pair) => pair?.distance ?? NaN));
    for (const name of names) this.lines.set(name, frames.map((frame) => frame.values?.[name] ?? NaN));
    this.series.replaceChildren(...[...this.lines.keys()].map((name) => h('option', { value: name }, name)));
    this.chart.svg.style.display = this.lines.size > 0 ? '' : 'none';
    if (this.lines.size > 0) this.setSeries(this.lines.keys().next().value);
  }

  setSeries(name) {
    this.chosen = name;
    const clearance = name === 'clearance';
    say(this.chartTitle, this.chart.set({ t: this.t, y: this.lines.get(name), limit: clearance ? this.record.limit : undefined, name: clearance ? 'clearance of the nearest pair' : name, unit: clearance ? this.unit : '', timeUnit: this.timeUnit, least: clearance }));
    if (this.record) this.draw();
  }

  describe() {
    const { record } = this;
    const row = (name, value) => [h('dt', {}, name), h('dd', {}, value)];
    say(this.title, record.title ?? this.name);
    this.title.hidden = false;
    this.facts.replaceChildren(...row('kind', record.kind), ...row('bodies', String(record.bodies.length)), ...row('frames', String(record.frames.length)),
      ...row('time', `${short(this.t0, 4)} to ${short(this.t1, 4)}${this.timeUnit ? ` ${this.timeUnit}` : ''}`), ...(record.limit !== undefined ? row('limit', `${short(record.limit, 4)} ${this.unit}`) : []));
    const roles = [...new Set(record.bodies.map((body) => body.role ?? 'moving'))].filter((role) => role !== 'moving' || record.bodies.filter((body) => (body.role ?? 'moving') === role).length === 1);
    this.legend.replaceChildren(...roles.map((role) => {
      const body = this.bodies[record.bodies.findIndex((b) => (b.role ?? 'moving') === role)];
      return h('li', {}, h('i', { style: `background:${body.colour}` }), role);
    }), ...(record.paths ?? []).map((path) => h('li', {}, h('i', { class: 'c-path' }), path.name ?? 'path')));
    this.seek(this.t[this.app.state.frame]);
  }

  /* ---- camera ---- */

  /* Where corners of bodies come in the course of the recording, xyz after xyz. */
  reached() {
    const list = [];
    const n = this.bodies.length;
    const stride = Math.max(1, Math.floor(this.t.length / 60));
    const p = new THREE.Vector3();
    for (let f = 0; f < this.t.length; f += stride) {
      this.bodies.forEach(({ corners }, b) => {
        const at = 7 * (f * n + b);
        this.from.fromArray(this.poses, at + 3).normalize();
        for (const corner of corners) {
          p.copy(corner).applyQuaternion(this.from).add(this.target.fromArray(this.poses, at)).applyMatrix4(this.root.world);
          list.push(p.x, p.y, p.z);
        }
      });
    }
    for (const path of this.record.paths ?? []) for (const point of path.points) list.push(...p.set(...point).applyMatrix4(this.root.world).toArray());
    return list.length > 0 ? list : [-1, -1, -1, 1, 1, 1];
  }

  placeFloor() {
    const box = new THREE.Box3().setFromArray(this.reached());
    const center = box.getCenter(new THREE.Vector3());
    this.floor.position.set(center.x, center.y, box.min.z);
    this.floor.scale.setScalar(niceStep(0.5 * box.getSize(new THREE.Vector3()).length()));
    this.floor.visible = false;
  }

  frameCamera(direction) {
    this.pane.setFlat(false);
    this.pane.frame(this.reached(), direction);
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
      this.target.add(this.bodies[i].group.position);
      count += 1;
    }
    if (count === 0) return;
    this.target.divideScalar(count).applyMatrix4(this.root.world);
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
    if (!this.playing) return;
    this.seek(Math.min(this.t1, this.time + seconds * this.rate()));
    if (this.time >= this.t1) this.pause();
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
    this.time = time;
    this.app.state.frame = this.frameAt(time);
    this.draw();
  }

  key(event) {
    const f = this.app.state.frame;
    const to = { ArrowLeft: f - 1, ArrowRight: f + 1, Home: 0, End: this.t.length - 1 }[event.key];
    if (to === undefined || !this.record) return false;
    this.pause();
    this.seek(this.t[Math.max(0, Math.min(this.t.length - 1, to))]);
    return true;
  }

  /* ---- drawing ---- */

  draw() {
    if (!this.record) return;
    const f = this.app.state.frame;
    const next = Math.min(f + 1, this.t.length - 1);
    const u = next > f ? (this.time - this.t[f]) / (this.t[next] - this.t[f] || 1) : 0;
    this.u = u;
    const n = this.bodies.length;
    for (let b = 0; b < n; b++) this.placeBody(this.bodies[b].group, 7 * (f * n + b), 7 * (next * n + b));
    this.pair = this.pairNow(this.first[f], this.first[next]);
    this.drawPair(this.pair);
    if (this.follow) this.followBodies();
    this.drawTime(f);
    if (this.playing) this.slowTexts();
    else this.writeTexts();
    this.stage.invalidate();
  }

  /* Between the poses that begin at i and j: positions on a line, rotations on the shorter arc. */
  placeBody({ position, quaternion }, i, j) {
    const { poses: p, u } = this;
    position.set(p[i] + u * (p[j] - p[i]), p[i + 1] + u * (p[j + 1] - p[i + 1]), p[i + 2] + u * (p[j + 2] - p[i + 2]));
    const cosine = p[i + 3] * p[j + 3] + p[i + 4] * p[j + 4] + p[i + 5] * p[j + 5] + p[i + 6] * p[j + 6];
    const angle = Math.acos(Math.min(1, Math.abs(cosine)));
    const sine = Math.sin(angle);
    const s = sine > 1e-6 ? Math.sin((1 - u) * angle) / sine : 1 - u;
    const t = (cosine < 0 ? -1 : 1) * (sine > 1e-6 ? Math.sin(u * angle) / sine : u);
    quaternion.set(s * p[i + 3] + t * p[j + 3], s * p[i + 4] + t * p[j + 4], s * p[i + 5] + t * p[j + 5], s * p[i + 6] + t * p[j + 6]).normalize();
  }

  asked(pair) { return this.nearest.ask(pair.a, this.bodies[pair.a].group, pair.b, this.bodies[pair.b].group); }

  /* Between two frames the nearer of their pairs. */
  pairNow(pair, next) {
    if (!this.live || this.u === 0 || pair === null || next === null || (pair.a === next.a && pair.b === next.b)) return pair;
    const distance = this.asked(pair).distance;
    return this.asked(next).distance < distance ? next : pair;
  }

  /* Draws the pair, with its distance now: what was recorded on a frame, what the library says between two. */
  drawPair(pair) {
    const known = pair !== null;
    const asked = known && this.live ? this.asked(pair) : null;
    const a = asked ? asked.a : pair?.point_a;
    const b = asked ? asked.b : pair?.point_b;
    const drawn = a !== undefined && b !== undefined;
    this.value = known ? (asked && this.u > 0 ? asked.distance : pair.distance) : NaN;
    if (drawn) {
      this.gap.join(0, a, 0, b, 0);
      this.ends.copy(0, a, 0);
      this.ends.copy(1, b, 0);
      this.label.beside(a, b, this.root.world);
    }
    this.gap.count(drawn ? 1 : 0);
    this.ends.count(drawn ? 2 : 0);
    this.label.visible = drawn && this.root.visible;
  }

  drawTime(f) {
    const { u } = this;
    this.slider.valueAsNumber = (this.time - this.t0) / (this.t1 - this.t0 || 1);
    if (this.lines.size === 0) return;
    const y = this.lines.get(this.chosen);
    this.chart.place(this.time, this.live && this.chosen === 'clearance' ? this.value : u > 0 && Number.isFinite(y[f + 1]) ? y[f] + u * (y[f + 1] - y[f]) : y[f]);
  }

  writeTexts() {
    const f = this.frameAt(this.time);
    const frame = this.record.frames[f];
    const { pair } = this;
    const name = (i) => this.record.bodies[i].name ?? `body ${i}`;
    const value = this.lines.get(this.chosen)?.[f];
    const other = !pair && Number.isFinite(value) && this.chosen !== 'clearance';
    if (pair) this.label.set(short(this.value, 3));
    say(this.caption, other ? this.chosen : 'nearest pair');
    say(this.clearance, pair ? `${short(this.value, Math.abs(this.value) < 1e-4 ? 4 : 5)}${this.unit ? ` ${this.unit}` : ''}` : other ? short(value, 6) : '—');
    this.clearance.dataset.value = pair ? String(this.value) : '';
    say(this.who, pair ? `${name(pair.a)} and ${name(pair.b)}` : other ? '' : 'the recording has no pair here');
    say(this.note, frame.label ?? '');
    this.note.hidden = !frame.label;
    say(this.clock, `${this.time.toFixed(this.clockDigits)}${this.timeUnit ? ` ${this.timeUnit}` : ''}`);
  }

  recolour(theme) {
    this.gap.setColour(theme.measure);
    this.ends.dress(theme.measure, theme.spot);
    if (this.record) {
      const { frame } = this.app.state;
      const { record, name } = this;
      this.load(record, name);
      this.framed = true; /* the camera stays */
      this.seek(this.t[frame]);
      if (this.app.state.mode === 'replay') this.show();
    }
  }

  show() {
    this.app.tellStory(this.story);
    if (!this.record) return;
    this.title.hidden = !this.story.hidden;
    this.root.visible = true;
    if (this.floor) this.floor.visible = this.hasFloor;
    this.bar.hidden = false;
    this.stage.resize();
    if (!this.framed) this.frameCamera(new THREE.Vector3(...(this.app.state.camera ?? cameras.corner)).normalize());
    this.speed.value = String(this.app.state.speed ?? 1);
    const frame = Math.min(this.app.state.frame ?? 0, this.t.length - 1);
    if (this.frameAt(this.time) !== frame) this.seek(this.t[frame]);
    else this.draw();
  }

  hide() {
    this.pause();
    this.root.visible = false;
    if (this.floor) this.floor.visible = false;
    this.label.visible = false;
    this.bar.hidden = true;
  }
}
