/* Explore: two bodies in the hand, the distance at every moment. */
import { choices, canBeRounded, defaultText, join, split } from './shapes.js';
import { copy, download, h, point, say, short, throttle, toast } from './ui.js';
import * as THREE from 'three';

const relationWords = { disjoint: 'apart', touching: 'touching', overlapping: 'overlapping', beyond: 'beyond' };

export class Explore {
  constructor(app) {
    this.app = app;
    this.view = app.view;
    this.panel = h('section', { class: 'panel', id: 'explore-panel' });
    this.climbs = new Float32Array(120);
    this.from = new THREE.Quaternion();
    this.to = new THREE.Quaternion();
    this.now = new THREE.Quaternion();
    this.slowTexts = throttle(100, () => this.writeTexts());
    this.measure = throttle(400, () => this.measureTime());
    this.build();
  }

  build() {
    const row = (name, id, title) => [h('dt', { title }, name), h('dd', { id })];
    this.story = h('div', { class: 'story', id: 'story' });
    this.distance = h('output', { class: 'number', id: 'distance', 'aria-live': 'off' });
    this.relation = h('span', { class: 'badge', id: 'relation' });
    this.bounds = h('dl', { class: 'facts bounds', id: 'bounds', title: 'the certified bounds: the true distance lies between them' },
      ...['at least', 'at most'].flatMap((name) => [h('dt', {}, name), h('dd', {}, h('span', {}), h('b', {}))]), ...row('proved to within', 'within'));
    this.digits = [...this.bounds.querySelectorAll('dd')].slice(0, 2).map((dd) => [...dd.children]);
    const places = h('dl', { class: 'facts' }, ...row('on A', 'on-a'), ...row('on B', 'on-b'), ...row('normal', 'normal', 'unit, from A to B'));
    const work = h('dl', { class: 'facts' },
      ...row('iterations', 'iterations'), ...row('supports', 'supports', 'support queries, and vertices they evaluated'),
      ...row('edges climbed', 'climbed', 'steps of hill climbing, both bodies'), ...row('time', 'time', 'one query, measured here and now'));
    this.fact = Object.fromEntries([...this.bounds.querySelectorAll('dd'), ...places.querySelectorAll('dd'), ...work.querySelectorAll('dd')].map((dd) => [dd.id, dd]));
    this.sparkTitle = h('span', { class: 'caption' });
    this.sparkPen = h('canvas', { class: 'spark', role: 'img', 'aria-label': 'edges climbed by the last 120 queries' });
    this.spark = h('div', {}, this.sparkTitle, this.sparkPen);
    this.slider = h('input', { type: 'range', min: '0', max: '1', step: 'any', id: 'u', 'aria-label': 'position on the path of B', oninput: () => this.setU(Number(this.slider.value)) });
    this.playButton = h('button', { class: 'round', id: 'motion-play', title: 'play or pause (space)', onclick: () => this.setPlay(!this.app.state.play) });
    this.motion = h('div', { class: 'motion', hidden: true }, this.playButton, this.slider);
    const box = (key, name, title) => h('label', { class: 'check', title }, h('input', { type: 'checkbox', id: key, onchange: (e) => this.setFlag(key, e.target.checked) }), name);
    this.editors = [0, 1].map((i) => h('fieldset', { class: `body ${'ab'[i]}`, id: `body-${'ab'[i]}` }));
    this.panel.append(this.story,
      h('div', { class: 'answer' }, h('div', { class: 'top' }, h('span', { class: 'caption' }, 'distance'), this.relation), this.distance, this.bounds),
      this.motion, places, work, this.spark,
      h('div', { class: 'checks' }, box('track', 'track', 'warm start: begin each query where the last one ended'), box('plane', 'plane', 'show the separating plane'),
        h('button', { id: 'flat', title: 'two or three dimensions', onclick: () => this.toggleFlat() }, '2D')),
      ...this.editors,
      h('div', { class: 'buttons' },
        h('button', { id: 'copy-command', title: 'the same query on the command line', onclick: () => this.copyCommand() }, 'copy command'),
        h('button', { id: 'to-step', onclick: () => this.app.setMode('step') }, 'step through it')));
  }

  /* ---- state ---- */

  setFlag(key, value) {
    this.app.state[key] = value;
    this.view.pair.forget();
    this.view.shown.plane = this.app.state.plane;
    this.changed();
  }

  setU(u) {
    this.app.state.u = u;
    this.placeOnWay();
    this.changed();
  }

  setPlay(play) {
    this.app.state.play = play;
    this.show();
    this.app.save();
  }

  toggleFlat() {
    const flat = !this.view.flat;
    const words = flat ? ['polygon', 'rectangle'] : ['random', 'box'];
    this.app.load({ mode: this.app.state.mode, a: defaultText(words[0]), b: defaultText(words[1]), poseB: { p: [flat ? 2.1 : 2.2, 0.5, flat ? 0 : 0.3], q: [0, 0, 0.3, 1], m: null } });
  }

  setText(i, text) {
    const texts = [this.app.state.a, this.app.state.b];
    texts[i] = text;
    try {
      this.app.setBodies(texts);
      this.changed();
    } catch (error) {
      toast(error.message, 'bad');
    }
  }

  /* Another kind of body ends the story. */
  setShape(i, text) {
    this.app.state.preset = null;
    this.setText(i, text);
    this.app.tellStory(this.story);
    this.app.listPresets();
    this.drawEditor(i);
  }

  /* B beside A, if they overlap. */
  moveAside() {
    const { view } = this;
    if (this.answer.distance >= 0) return;
    const [a, b] = view.bodies;
    const [from, to] = [new THREE.Vector3(), new THREE.Vector3()];
    view.poses[1].p[0] += view.middle(0, from).x - view.middle(1, to).x + 1.1 * (a.size + b.size);
    this.app.moved(1, false);
  }

  /* ---- editors ---- */

  drawEditor(i) {
    const text = i === 0 ? this.app.state.a : this.app.state.b;
    const { word, values, round } = split(text);
    const { dim } = this.view.bodies[i];
    const editor = this.editors[i];
    const select = h('select', { 'aria-label': `shape of ${'AB'[i]}`, onchange: (e) => (e.target.value === 'hull' ? this.pickFile(i) : this.setShape(i, defaultText(e.target.value))) },
      ...Object.entries(choices).filter(([, choice]) => choice.dim === dim).map(([name, choice]) => h('option', { value: name, selected: name === word }, choice.title)));
    const field = (parameter, value, put) => {
      const number = h('input', { type: 'number', step: String(parameter.step), value: String(value), onchange: (e) => put(Number(e.target.value)) });
      const range = h('input', { type: 'range', min: String(parameter.min), max: String(parameter.max), step: String(parameter.step), 'aria-label': `${parameter.name} of ${'AB'[i]}`,
        oninput: (e) => { number.value = e.target.value; put(Number(e.target.value)); } });
      range.value = String(value);
      return h('label', { class: 'field' }, h('span', {}, parameter.name), range, number);
    };
    const fields = (choices[word]?.parameters ?? []).map((parameter, k) => field(parameter, values[k] ?? parameter.value, (value) => {
      const now = split(i === 0 ? this.app.state.a : this.app.state.b);
      now.values[k] = value;
      this.setText(i, join(now.word, now.values, now.round));
    }));
    if (canBeRounded(word)) {
      fields.push(field({ name: 'rounded by', min: 0, max: 0.5, step: 0.01 }, round, (value) => {
        const now = split(i === 0 ? this.app.state.a : this.app.state.b);
        this.setText(i, join(now.word, now.values, value));
      }));
    }
    const many = fields.length > 4;
    editor.replaceChildren(h('legend', {}, 'AB'[i]), h('div', { class: 'head' }, select,
      word === 'random' ? h('button', { title: 'another one', id: `dice-${'ab'[i]}`, onclick: () => { values[1] = 1 + (values[1] * 7919 + 13) % 998; this.setText(i, join(word, values, round)); this.drawEditor(i); } }, 'another') : null,
      dim === 3 ? h('button', { title: 'OBJ, STL, PLY, OFF or x y z lines', onclick: () => this.pickFile(i) }, 'open file') : null,
      word === 'hull' || word === 'random' ? h('button', { title: 'save the points', onclick: () => this.saveHull(i) }, 'save') : null),
    many ? h('details', {}, h('summary', {}, 'numbers'), ...fields) : h('div', { class: 'fields' }, ...fields));
    this.markSelected(this.app.drag.selected);
  }

  markSelected(i) {
    this.editors.forEach((editor, k) => editor.classList.toggle('selected', k === i));
  }

  pickFile(i) {
    const input = h('input', { type: 'file', accept: '.obj,.stl,.ply,.off,.xyz,.txt,.json' });
    input.addEventListener('change', () => input.files[0] && this.app.openFile(input.files[0], i));
    input.click();
    this.drawEditor(i);
  }

  /* A mesh file as body i. */
  openMesh(bytes, name, i) {
    const shape = this.app.apart.mesh(bytes, name);
    const points = shape.hull.vertices();
    const { deviation } = shape;
    shape.free();
    this.setShape(i, `hull:${points.join()}`);
    this.moveAside();
    this.app.frame();
    toast(deviation > 1e-6 ? `${name}: not convex (by ${short(deviation, 2)} of its size); its convex hull is used` : `${name}: ${points.length / 3} vertices`);
  }

  saveHull(i) {
    const points = this.view.bodies[i].points;
    const lines = [];
    for (let k = 0; k < points.length; k += 3) lines.push(`${points[k]} ${points[k + 1]} ${points[k + 2]}`);
    download(this.fileName(i), `${lines.join('\n')}\n`);
  }

  fileName(i) {
    const { word, values } = split(i === 0 ? this.app.state.a : this.app.state.b);
    return word === 'random' ? `random-${values[0]}-${values[1] ?? 1}.txt` : `${'ab'[i]}.txt`;
  }

  /* The words of the same query; hulls are files that `save` makes. */
  command() {
    const { state } = this.app;
    const body = (i) => {
      const text = i === 0 ? state.a : state.b;
      const { word, round } = split(text);
      return word === 'random' || word === 'hull' ? [this.fileName(i), ...(round > 0 ? [`--round-${'ab'[i]}`, String(round)] : [])] : [text];
    };
    const pose = (i) => {
      const { p, q, m } = this.view.poses[i];
      return `xyz=${p.join()} ${m ? `matrix=${m.join()}` : `quat_xyzw=${q.join()}`}`;
    };
    const [a, b] = [body(0), body(1)];
    return ['distance', a[0], b[0], ...a.slice(1), ...b.slice(1), '--pose-a', pose(0), '--pose-b', pose(1), ...(state.solver !== 'default' ? ['--solver', state.solver] : [])];
  }

  async copyCommand() {
    await copy(`apart ${this.command().map((word) => (/[ ;]/.test(word) ? `'${word}'` : word)).join(' ')}`);
    toast('the command is in the clipboard');
  }

  /* ---- time ---- */

  placeOnWay() {
    const { state } = this.app;
    if (!state.to) return;
    const { from, to, now } = this;
    const u = state.u ?? 0;
    const { p } = this.view.poses[1];
    for (let k = 0; k < 3; k++) p[k] = (1 - u) * state.poseB.p[k] + u * state.to.p[k];
    from.fromArray(state.poseB.q);
    to.fromArray(state.to.q);
    const turned = from.angleTo(to) > 1e-9;
    now.slerpQuaternions(from, to, u).normalize();
    now.toArray(this.view.poses[1].q);
    this.view.poses[1].m = null;
    this.view.setPose(1, this.view.poses[1], turned);
  }

  tick(seconds) {
    const { state } = this.app;
    if (!state.play || !state.to) return;
    state.u = (state.u ?? 0) + seconds * (this.back ? -1 : 1) / 9;
    if (state.u >= 1) this.back = true;
    if (state.u <= 0) this.back = false;
    state.u = Math.min(1, Math.max(0, state.u));
    this.slider.valueAsNumber = state.u;
    this.placeOnWay();
    this.changed();
  }

  /* ---- drawing ---- */

  ask() {
    const { pair } = this.view;
    return this.app.state.track ? pair.track() : pair.distance();
  }

  changed() {
    const { pair } = this.view;
    this.answer = this.ask();
    this.climbs.copyWithin(0, 1);
    this.climbs[119] = pair.counts.edgesClimbed;
    this.view.drawAnswer(this.answer);
    this.slowTexts();
    this.measure();
    this.app.save();
  }

  writeTexts() {
    const { answer: r, fact, view } = this;
    if (!r || this.app.state.mode !== 'explore') return;
    const feature = ({ kind, number, vertices }) => {
      if (kind === 'curved') return 'curved';
      if (kind === 'interior') return 'inside';
      return number !== null ? `${kind} ${number}` : `${kind} ${vertices.filter((i) => i !== null).join('–')}`;
    };
    const { a, b } = view.pair.features();
    const { counts } = view.pair;
    view.label.distance.set(short(r.distance, 4));
    say(this.distance, short(r.distance, 7));
    this.distance.title = String(r.distance);
    this.distance.dataset.value = String(r.distance);
    this.bounds.dataset.lower = String(r.lower);
    this.bounds.dataset.upper = String(r.upper);
    this.writeBounds(r.lower, r.upper);
    say(this.relation, relationWords[r.relation]);
    this.relation.dataset.relation = r.relation;
    say(fact['on-a'], `${feature(a)}  ${point(r.a, r.dim)}`);
    say(fact['on-b'], `${feature(b)}  ${point(r.b, r.dim)}`);
    say(fact.normal, point(r.normal, r.dim));
    say(fact.iterations, String(r.iterations));
    say(fact.supports, `${counts.supportCalls}, ${counts.verticesVisited} vertices seen`);
    say(fact.climbed, String(counts.edgesClimbed));
    this.drawSpark();
  }

  /* All digits; those in which the bounds differ stand out. */
  writeBounds(lower, upper) {
    const plain = [lower, upper].map((x) => String(x).replace('-', '−'));
    const texts = plain.map((text) => text.padEnd(Math.max(...plain.map(({ length }) => length)), '\u2007'));
    let same = 0;
    while (same < texts[0].length && texts[0][same] === texts[1][same]) same += 1;
    texts.forEach((text, i) => {
      say(this.digits[i][0], text.slice(0, same));
      say(this.digits[i][1], text.slice(same));
    });
    say(this.fact.within, short(upper - lower, 2));
  }

  drawSpark() {
    const shown = this.app.state.track;
    this.spark.hidden = !shown;
    if (!shown) return;
    const { sparkPen, climbs } = this;
    const scale = Math.min(devicePixelRatio, 2);
    const width = Math.round(sparkPen.clientWidth * scale);
    if (sparkPen.width !== width) [sparkPen.width, sparkPen.height] = [width, 30 * scale];
    let most = 0;
    for (let i = 0; i < climbs.length; i++) most = Math.max(most, climbs[i]);
    const pen = sparkPen.getContext('2d');
    pen.clearRect(0, 0, sparkPen.width, sparkPen.height);
    pen.fillStyle = this.app.theme.a;
    /* In whole pixels of the screen, because other numbers would be boxed. */
    const step = sparkPen.width / climbs.length;
    const unit = (sparkPen.height - 2 * scale) / Math.max(2, most);
    for (let i = 0; i < climbs.length; i++) {
      const left = Math.round(i * step);
      const high = Math.round(1.5 * scale + climbs[i] * unit);
      pen.fillRect(left, sparkPen.height - high, Math.max(1, Math.round((i + 1) * step - 0.6 * scale) - left), high);
    }
    say(this.sparkTitle, `edges climbed, last 120 queries: ${most === 0 ? 'none' : `at most ${most}`}`);
  }

  /* Of so many queries. */
  timeOf(times) {
    const start = performance.now();
    this.view.pair.repeat(times, this.app.state.track);
    return performance.now() - start;
  }

  measureTime() {
    let times = 25;
    let spent = 0;
    while (spent < 0.5 && times < 1e5) { /* milliseconds; the clock of some browsers has tenths of them */
      times *= 2;
      spent = this.timeOf(times);
    }
    for (let k = 0; k < 3; k++) spent = Math.min(spent, this.timeOf(times)); /* other programs only make it longer */
    const micro = (spent * 1000) / times;
    say(this.fact.time, micro >= 0.9995 ? `${micro.toFixed(1)} µs` : `${Math.round(micro * 1000)} ns`);
  }

  show() {
    const { state } = this.app;
    for (const key of ['track', 'plane']) this.panel.querySelector(`#${key}`).checked = state[key];
    this.view.shown.plane = state.plane;
    this.motion.hidden = !state.to;
    this.slider.value = String(state.u ?? 0);
    this.playButton.textContent = state.play ? '❚❚' : '▶';
    this.playButton.setAttribute('aria-label', state.play ? 'pause' : 'play');
    say(this.panel.querySelector('#flat'), this.view.flat ? '3D' : '2D');
    for (const i of [0, 1]) this.drawEditor(i);
    this.app.tellStory(this.story);
    this.changed();
  }
}
