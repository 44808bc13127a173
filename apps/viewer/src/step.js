/* Step: one query, iteration by iteration. */
import { solvers } from '../../../bindings/wasm/apart.js';
import { encloses, isDepth, sentence, simplexName } from './words.js';
import { h, point, say, short } from './ui.js';

const NS = 'http://www.w3.org/2000/svg';
const svg = (tag, attributes, text) => {
  const element = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return element;
};

export class Step {
  constructor(app) {
    this.app = app;
    this.view = app.view;
    this.panel = h('section', { class: 'panel', id: 'step-panel' });
    this.timer = 0;
    this.build();
  }

  build() {
    const go = (k, name, title, text) => h('button', { id: name, title, onclick: () => this.go(k()) }, text);
    const now = () => this.app.state.step;
    this.story = h('div', { class: 'story' });
    this.count = h('output', { class: 'count', id: 'step-count' });
    this.slider = h('input', { type: 'range', min: '0', id: 'step-slider', 'aria-label': 'step', oninput: () => this.go(Number(this.slider.value)) });
    this.sentence = h('p', { class: 'sentence', id: 'sentence', 'aria-live': 'polite' });
    this.chart = svg('svg', { class: 'bounds-chart', viewBox: '0 0 300 96', role: 'img' });
    this.legend = h('ul', { class: 'legend' }, h('li', {}, h('i', { class: 'c-measure' }), 'at most'), h('li', {}, h('i', { class: 'c-a' }), 'at least'), h('li', { class: 'hint' }, 'the bounds, step by step'));
    this.facts = h('dl', { class: 'facts' });
    this.flat = h('button', { id: 'step-flat', title: 'two or three dimensions', onclick: () => this.app.modes.explore.toggleFlat() });
    this.table = h('table', { class: 'simplex' });
    this.solver = h('select', { id: 'solver', 'aria-label': 'solver', onchange: () => this.setSolver(this.solver.value) }, ...solvers.map((name) => h('option', { value: name }, name)));
    this.compare = h('table', { class: 'compare', id: 'compare' });
    this.star = h('p', { class: 'hint' }, '* finished by the fallback, in double-double arithmetic');
    this.panel.append(this.story,
      h('div', { class: 'stepper' },
        go(() => 0, 'first', 'first step (Home)', '«'), go(() => now() - 1, 'previous', 'one step back (←)', '‹'), this.count,
        go(() => now() + 1, 'next', 'one step on (→)', '›'), go(() => Infinity, 'last', 'last step (End)', '»')),
      this.slider, this.sentence, h('div', {}, this.chart, this.legend), this.facts, this.table,
      h('h3', {}, 'The solvers on this pair'),
      h('p', { class: 'hint' }, 'Each solver has its own steps; choose one to step through them.'),
      this.compare, this.star, h('label', { class: 'field wide' }, h('span', {}, 'solver'), this.solver),
      h('div', { class: 'buttons' }, h('button', { id: 'to-explore', onclick: () => this.app.setMode('explore') }, 'move the bodies'), this.flat));
  }

  setSolver(name) {
    this.app.state.solver = name;
    this.app.state.step = 0;
    this.changed();
    this.app.save();
  }

  go(k) {
    this.app.state.step = Math.max(0, Math.min(this.trace.steps.length - 1, k));
    this.draw();
    this.app.save();
  }

  key(event) {
    const { step } = this.app.state;
    const to = { ArrowLeft: step - 1, ArrowRight: step + 1, Home: 0, End: Infinity }[event.key];
    if (to === undefined || event.shiftKey) return false;
    this.go(to);
    return true;
  }

  /* The pair or the solver is another one. */
  changed() {
    const { state } = this.app;
    const { pair } = this.view;
    this.trace = null;
    const rows = solvers.map((solver) => {
      pair.setOptions({ solver, stats: true });
      const { result: { distance, fallback }, total } = pair.trace(); /* the next query overwrites the result */
      pair.setOptions({ solver, fallback: false, stats: true });
      const alone = pair.distance();
      return { solver, total, distance, fallback, own: alone.upper - alone.lower };
    });
    this.app.setOptions();
    this.trace = pair.trace();
    /* A trace's result is the pair's one object: keep what later queries would overwrite. */
    this.trace.result = { ...this.trace.result, a: [...this.trace.result.a], b: [...this.trace.result.b], normal: [...this.trace.result.normal] };
    this.drawCompare(rows);
    this.solver.value = state.solver;
    state.step = Math.min(state.step, Math.max(0, this.trace.steps.length - 1));
    this.slider.max = String(Math.max(0, this.trace.steps.length - 1));
    this.draw();
  }

  drawCompare(rows) {
    this.star.hidden = !rows.some(({ fallback }) => fallback);
    this.compare.replaceChildren(
      h('tr', {}, ...['solver', 'steps', 'distance', 'alone within'].map((name) => h('th', {}, name))),
      ...rows.map((row) => h('tr', { class: row.solver === this.app.state.solver ? 'chosen' : '', onclick: () => this.setSolver(row.solver) },
        h('td', {}, h('button', { class: 'link', 'data-solver': row.solver }, row.solver)), h('td', {}, String(row.total)), h('td', { title: String(row.distance) }, short(row.distance, 5)),
        h('td', { class: row.own > 1e-9 * this.view.scale ? 'wide' : '', title: row.fallback ? 'the double-double fallback finished the query' : 'the difference of the bounds without the fallback' }, `${short(row.own, 2)}${row.fallback ? ' *' : ''}`))));
  }

  draw() {
    const { trace } = this;
    const k = this.app.state.step;
    const step = trace.steps[k];
    say(this.count, trace.steps.length > 0 ? `step ${k + 1} of ${trace.steps.length}` : 'no steps');
    this.slider.value = String(k);
    if (!step) {
      say(this.sentence, 'The distance of this pair has a closed form: there are no steps.');
      this.facts.replaceChildren();
      this.table.replaceChildren();
      this.chart.replaceChildren();
      this.view.clearMarks();
      this.view.names();
      this.view.stage.invalidate();
      return;
    }
    this.view.drawStep(trace, k);
    say(this.sentence, sentence(trace, k));
    const radius = trace.radiusA + trace.radiusB;
    const depth = isDepth(step);
    const row = (name, value, title) => [h('dt', {}, name), h('dd', { title: title ?? '' }, value)];
    const length = Math.hypot(...step.v);
    this.facts.replaceChildren(
      ...row('simplex', depth ? `${step.simplex.length === 2 ? 'edge' : 'face'} of a ${step.simplex.length === 2 ? `ring of ${step.surface.length / 3}` : `surface of ${step.surface.length / 9} triangles`}` : simplexName(step.simplex.length)),
      ...row('v', point(step.v, trace.result.dim), step.v.join(', ')), ...row('|v|', short(length), String(length)),
      ...(encloses(step) || length === 0 ? [] : row('asked along', point(step.v.map((x) => (depth ? x : -x) / length), trace.result.dim))),
      ...row('bounds', encloses(step) ? 'the origin is inside' : `${short(step.lower - radius)} to ${short(step.upper - radius)}`, `${step.lower - radius} to ${step.upper - radius}`),
      ...(encloses(step) ? [] : row('bounds within', short(Math.max(0, step.upper - step.lower), 2))));
    const vertex = (body, index, p) => (index !== null ? `${body}${index}` : point(p, trace.result.dim));
    this.table.replaceChildren(
      h('tr', {}, ...['on A', 'on B', depth ? '' : 'λ'].map((name) => h('th', {}, name))),
      ...step.simplex.map((s) => h('tr', {}, h('td', {}, vertex('a', s.indexA, s.a)), h('td', {}, vertex('b', s.indexB, s.b)), h('td', {}, depth ? '' : short(s.lambda, 3)))),
      ...(depth || encloses(step) ? [] : [h('tr', { class: 'new' }, h('td', {}, vertex('a', step.support.indexA, step.support.a)), h('td', {}, vertex('b', step.support.indexB, step.support.b)), h('td', {}, 'new: w'))]));
    this.drawChart(k, radius);
  }

  /* Both bounds of every step; the pointer chooses a step. */
  drawChart(k, radius) {
    const { steps } = this.trace;
    const [left, right, top, bottom] = [6, 294, 8, 84];
    const values = steps.flatMap((s) => [s.lower, s.upper]).filter(Number.isFinite).map((x) => x - radius);
    const result = this.trace.result.distance;
    const high = Math.max(...values, result, 0);
    const low = Math.max(Math.min(...values, result, 0), Math.min(result, 0) - 1.2 * (high - Math.min(result, 0)));
    const x = (i) => (steps.length > 1 ? left + ((right - left) * i) / (steps.length - 1) : (left + right) / 2);
    const y = (value) => bottom - ((bottom - top) * (Math.max(low, Math.min(high, value)) - low)) / (high - low || 1);
    const line = (key, kind) => {
      let path = '';
      steps.forEach((s, i) => { if (Number.isFinite(s[key])) path += `${path === '' || !Number.isFinite(steps[i - 1]?.[key]) ? 'M' : 'L'}${x(i)} ${y(s[key] - radius)}`; });
      return svg('path', { d: path, class: kind });
    };
    const dots = steps.flatMap((s, i) => ['lower', 'upper'].filter((key) => Number.isFinite(s[key])).map((key) => svg('circle', { cx: x(i), cy: y(s[key] - radius), r: i === k ? 4 : 2.2, class: key })));
    this.chart.setAttribute('aria-label', 'bounds of the distance, step by step');
    this.chart.replaceChildren(svg('line', { x1: left, x2: right, y1: y(0), y2: y(0), class: 'zero' }), svg('line', { x1: x(k), x2: x(k), y1: top - 4, y2: bottom + 4, class: 'now' }),
      svg('text', { x: right, y: y(0) - 3, class: 'zero-text' }, '0'), line('upper', 'upper'), line('lower', 'lower'), ...dots);
    this.chart.onclick = (event) => {
      const box = this.chart.getBoundingClientRect();
      this.go(Math.round(((((event.clientX - box.left) / box.width) * 300 - left) / (right - left)) * (steps.length - 1)));
    };
  }

  show() {
    this.app.tellStory(this.story);
    say(this.flat, this.view.flat ? '3D' : '2D');
    this.changed();
  }
}
