/* A chart over the frames of a recording: one line, a limit, the place of now. Drawn once; only the cursor moves. */
import { short, superscript } from './ui.js';

const NS = 'http://www.w3.org/2000/svg';
const make = (tag, attributes = {}, text) => {
  const element = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return element;
};
const HEIGHT = 92;
const EDGE = { left: 52, right: 14, top: 8, bottom: 20 };

/* Round steps for an axis, about so many: the largest that give no fewer. */
function ticks(low, high, count) {
  const raw = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [5, 2, 1].find((m) => m * power <= raw * 1.0000001);
  const list = [];
  for (let x = Math.ceil(low / step) * step; x <= high + step * 1e-9; x += step) list.push(Math.abs(x) < step * 1e-9 ? 0 : x);
  return list;
}

export class Chart {
  constructor(onSeek) {
    this.svg = make('svg', { class: 'chart', id: 'chart', role: 'img', tabindex: '-1' });
    this.onSeek = onSeek;
    let down = false;
    const seek = (event) => {
      const box = this.svg.getBoundingClientRect();
      const share = (event.clientX - box.left - EDGE.left) / (box.width - EDGE.left - EDGE.right);
      this.onSeek(this.t0 + Math.min(1, Math.max(0, share)) * (this.t1 - this.t0));
    };
    this.svg.addEventListener('pointerdown', (event) => { down = true; this.svg.setPointerCapture(event.pointerId); seek(event); });
    this.svg.addEventListener('pointermove', (event) => down && seek(event));
    this.svg.addEventListener('pointerup', () => { down = false; });
    new ResizeObserver(() => this.data && this.draw()).observe(this.svg);
  }

  /* Returns what the chart is called: it stands above it. */
  set(data) {
    this.data = data;
    [this.t0, this.t1] = [data.t[0], data.t.at(-1)];
    const { t, y, name, unit, timeUnit, least } = data;
    const largest = y.reduce((most, value) => (Number.isFinite(value) ? Math.max(most, Math.abs(value)) : most), 0);
    this.power = largest > 0 && (largest < 1e-3 || largest >= 1e5) ? Math.floor(Math.log10(largest)) : 0;
    this.draw();
    const lowest = this.lowest >= 0 && least ? ` · minimum ${short(y[this.lowest], 4)}${unit ? ` ${unit}` : ''}, at ${short(t[this.lowest], 3)}${timeUnit ? ` ${timeUnit}` : ''}` : '';
    const scale = this.power !== 0 ? ` in 10${superscript(this.power)}${unit ? ` ${unit}` : ''}` : unit ? ` in ${unit}` : '';
    return `${name}${scale}${lowest}`;
  }

  draw() {
    const { t, y, limit, name, timeUnit, least } = this.data;
    const width = this.svg.clientWidth || 600;
    const right = width - EDGE.right;
    const bottom = HEIGHT - EDGE.bottom;
    const known = y.filter(Number.isFinite);
    let low = known.reduce((a, b) => Math.min(a, b), limit ?? Infinity);
    let high = known.reduce((a, b) => Math.max(a, b), limit ?? -Infinity);
    if (low < 0) high = Math.max(high, 0);
    if (low > 0 && low < 0.6 * high) low = 0;
    if (!(high > low)) [low, high] = [low - 0.5, low + 0.5];
    const X = (value) => EDGE.left + ((right - EDGE.left) * (value - this.t0)) / (this.t1 - this.t0 || 1);
    const Y = (value) => bottom - ((bottom - EDGE.top) * (value - low)) / (high - low);
    this.X = X;
    this.Y = Y;
    const stride = Math.max(1, Math.floor(t.length / 1500));
    let path = '';
    let lowest = -1;
    t.forEach((time, i) => {
      if (!Number.isFinite(y[i])) return;
      if (lowest < 0 || y[i] < y[lowest]) lowest = i;
      if (i % stride === 0 || i === t.length - 1) path += `${path === '' ? 'M' : 'L'}${X(time).toFixed(1)} ${Y(y[i]).toFixed(1)}`;
    });
    const parts = [];
    for (const value of ticks(low, high, 2)) {
      parts.push(make('line', { x1: EDGE.left, x2: right, y1: Y(value), y2: Y(value), class: value === 0 ? 'zero' : 'grid' }));
      parts.push(make('text', { x: EDGE.left - 6, y: Y(value) + 3.5, class: 'tick y' }, String(Number((value / 10 ** this.power).toPrecision(6))).replace('-', '−')));
    }
    for (const value of ticks(this.t0, this.t1, Math.max(2, Math.floor(width / 160)))) parts.push(make('text', { x: X(value), y: HEIGHT - 5, class: 'tick x' }, `${Number(value.toPrecision(6))}${timeUnit ? ` ${timeUnit}` : ''}`));
    if (limit !== undefined) parts.push(make('line', { x1: EDGE.left, x2: right, y1: Y(limit), y2: Y(limit), class: 'limit' }), make('text', { x: right, y: Y(limit) - 4, class: 'limit-text' }, `limit ${short(limit, 3)}`));
    parts.push(make('path', { d: path, class: 'line' }));
    if (lowest >= 0 && least) parts.push(make('circle', { cx: X(t[lowest]), cy: Y(y[lowest]), r: 3.5, class: 'lowest' }));
    this.lowest = lowest;
    this.cursor = make('line', { y1: EDGE.top - 4, y2: bottom, class: 'cursor' });
    this.dot = make('circle', { r: 4.5, class: 'dot' });
    this.known = true;
    this.svg.setAttribute('viewBox', `0 0 ${width} ${HEIGHT}`);
    this.svg.setAttribute('aria-label', `${name} over time`);
    this.svg.replaceChildren(...parts, this.cursor, this.dot);
    this.place(this.at ?? this.t0, this.value);
  }

  place(time, value) {
    this.at = time;
    this.value = value;
    if (!this.cursor) return;
    const x = this.X(time);
    const known = Number.isFinite(value);
    /* Numbers and no attributes, which are texts: this is done every frame. */
    this.cursor.x1.baseVal.value = x;
    this.cursor.x2.baseVal.value = x;
    if (known !== this.known) this.dot.style.display = known ? '' : 'none';
    this.known = known;
    if (!known) return;
    this.dot.cx.baseVal.value = x;
    this.dot.cy.baseVal.value = this.Y(value);
  }
}
