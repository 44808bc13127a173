/* The timeline of a recording: lines over time, a limit with red zones, what is certified, the place of now. Each pixel column shows the
 * smallest and the largest value that falls into it, so that a dip of one frame is seen. Drawn once; only the cursor moves. */
import { short, superscript } from './ui.js';

const NS = 'http://www.w3.org/2000/svg';
const make = (tag, attributes = {}, text) => {
  const element = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return element;
};
const HEIGHT = 104;
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

/* Of each column the first, the extremes as they come, and the last. */
export function columnsPath(t, y, X, Y) {
  let path = '';
  let column = NaN;
  let [first, low, high, last] = [-1, -1, -1, -1];
  let started = false;
  const put = (i, x) => {
    path += `${started ? 'L' : 'M'}${x} ${Y(y[i]).toFixed(1)}`;
    started = true;
  };
  const flush = () => {
    if (first < 0) return;
    for (const i of [...new Set([first, Math.min(low, high), Math.max(low, high), last])]) put(i, X(t[i]).toFixed(1));
    first = -1;
  };
  for (let i = 0; i < t.length; i++) {
    if (!Number.isFinite(y[i])) {
      flush();
      started = false;
      column = NaN;
      continue;
    }
    const c = Math.round(X(t[i]));
    if (c !== column) flush();
    column = c;
    if (first < 0) first = low = high = i;
    if (y[i] < y[low]) low = i;
    if (y[i] > y[high]) high = i;
    last = i;
  }
  flush();
  return path;
}

/* Where a line is below a limit: [from, to] in time, the crossings between samples on a straight line. */
export function zonesBelow(t, y, limit) {
  const zones = [];
  const cross = (i, j) => t[i] + ((t[j] - t[i]) * (limit - y[i])) / (y[j] - y[i]);
  for (let i = 0; i < t.length; i++) {
    if (!(y[i] < limit)) continue;
    let j = i;
    while (j + 1 < t.length && y[j + 1] < limit) j++;
    zones.push([i > 0 && Number.isFinite(y[i - 1]) ? cross(i - 1, i) : t[i], j + 1 < t.length && Number.isFinite(y[j + 1]) ? cross(j, j + 1) : t[j]]);
    i = j;
  }
  return zones;
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

  /* data: { t, y, name, unit, timeUnit, least } of the line itself; others: [{ t, y, colour, name }] below it; bands: [{ from, to, lower }]
   * that are certified; limit. Returns what the chart is called: it stands above it. */
  set(data) {
    this.data = data;
    const { t, y, name, unit, timeUnit, least, from, to } = data;
    [this.t0, this.t1] = [from ?? t[0], to ?? t.at(-1)];
    const largest = y.reduce((most, value) => (Number.isFinite(value) ? Math.max(most, Math.abs(value)) : most), 0);
    this.power = largest > 0 && (largest < 1e-3 || largest >= 1e5) ? Math.floor(Math.log10(largest)) : 0;
    this.lowest = -1;
    for (let i = 0; i < y.length; i++) if (Number.isFinite(y[i]) && (this.lowest < 0 || y[i] < y[this.lowest])) this.lowest = i;
    this.bound = data.limit ?? (least ? 0 : undefined);
    this.zones = this.bound === undefined ? [] : zonesBelow(t, y, this.bound);
    this.draw();
    const lowest = this.lowest >= 0 && least ? ` · minimum ${short(y[this.lowest], 4)}${unit ? ` ${unit}` : ''}, at ${short(t[this.lowest], 3)}${timeUnit ? ` ${timeUnit}` : ''}` : '';
    const scale = this.power !== 0 ? ` in 10${superscript(this.power)}${unit ? ` ${unit}` : ''}` : unit ? ` in ${unit}` : '';
    return `${name}${scale}${lowest}`;
  }

  /* From the least to the most that is drawn; zero where it is not far. */
  range() {
    const { y, limit, bands = [] } = this.data;
    let [low, high] = [limit ?? Infinity, limit ?? -Infinity];
    for (const value of y) {
      if (!Number.isFinite(value)) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    const least = low;
    for (const { lower } of bands) low = Math.min(low, Math.max(lower, least - (high - least)));
    if (bands.length > 0) low -= 0.08 * (high - low); /* some of the band is always seen */
    if (low < 0) high = Math.max(high, 0);
    if (low > 0 && low < 0.6 * high) low = 0;
    return high > low ? [low, high] : Number.isFinite(low) ? [low - 0.5, low + 0.5] : [0, 1];
  }

  draw() {
    const { t, y, limit, name, timeUnit, least, others = [], bands = [] } = this.data;
    const width = this.svg.clientWidth || 600;
    const right = width - EDGE.right;
    const bottom = HEIGHT - EDGE.bottom;
    [this.low, this.high] = this.range();
    const { low, high } = this;
    const X = (value) => EDGE.left + ((right - EDGE.left) * (value - this.t0)) / (this.t1 - this.t0 || 1);
    const Y = (value) => bottom - ((bottom - EDGE.top) * (Math.min(high, Math.max(low, value)) - low)) / (high - low);
    this.X = X;
    this.Y = Y;
    const parts = [];
    for (const { from, to, lower } of bands) if (lower > low) parts.push(make('rect', { x: X(from), width: Math.max(1, X(to) - X(from)), y: Y(lower), height: bottom - Y(lower), class: 'certified' }));
    for (const [from, to] of this.zones) parts.push(make('rect', { x: X(from) - 1.5, width: Math.max(3, X(to) - X(from) + 3), y: EDGE.top - 4, height: bottom - EDGE.top + 4, class: 'breach' }));
    for (const value of ticks(low, high, 2)) {
      parts.push(make('line', { x1: EDGE.left, x2: right, y1: Y(value), y2: Y(value), class: value === 0 ? 'zero' : 'grid' }));
      parts.push(make('text', { x: EDGE.left - 6, y: Y(value) + 3.5, class: 'tick y' }, String(Number((value / 10 ** this.power).toPrecision(6))).replace('-', '−')));
    }
    for (const value of ticks(this.t0, this.t1, Math.max(2, Math.floor(width / 160)))) parts.push(make('text', { x: X(value), y: HEIGHT - 5, class: 'tick x' }, `${Number(value.toPrecision(6))}${timeUnit ? ` ${timeUnit}` : ''}`));
    for (const other of others) {
      const line = make('path', { d: columnsPath(other.t, other.y, X, Y), class: 'other', style: `stroke:${other.colour}` });
      line.append(make('title', {}, other.name));
      parts.push(line);
    }
    for (const { from, to, lower } of bands) if (lower > low) parts.push(make('line', { x1: X(from), x2: X(to), y1: Y(lower), y2: Y(lower), class: 'certified-edge' }));
    if (limit !== undefined) parts.push(make('line', { x1: EDGE.left, x2: right, y1: Y(limit), y2: Y(limit), class: 'limit' }), make('text', { x: right, y: Y(limit) - 4, class: 'limit-text' }, `limit ${short(limit, 3)}`));
    parts.push(make('path', { d: columnsPath(t, y, X, Y), class: 'line' }));
    if (this.lowest >= 0 && least) parts.push(make('circle', { cx: X(t[this.lowest]), cy: Y(y[this.lowest]), r: 3.5, class: 'lowest' }));
    this.cursor = make('line', { y1: EDGE.top - 4, y2: bottom, class: 'cursor' });
    this.dot = make('circle', { r: 4.5, class: 'dot' });
    this.known = true;
    this.svg.setAttribute('viewBox', `0 0 ${width} ${HEIGHT}`);
    this.svg.setAttribute('aria-label', `${name} over time${least && this.lowest >= 0 ? `, at the least ${short(y[this.lowest], 4)} at ${short(t[this.lowest], 3)}` : ''}`);
    this.svg.replaceChildren(...parts, this.cursor, this.dot);
    this.place(this.at ?? this.t0, this.value);
  }

  /* The next time after a moment at which the line goes below its bound, the first one after the last. */
  nextBreach(time) {
    const zone = this.zones.find(([from]) => from > time + 1e-9 * (this.t1 - this.t0)) ?? this.zones[0];
    if (!zone) return null;
    const { t, y } = this.data;
    let best = -1;
    for (let i = 0; i < t.length; i++) if (t[i] >= zone[0] && t[i] <= zone[1] && (best < 0 || y[i] < y[best])) best = i;
    return best >= 0 ? { from: zone[0], to: zone[1], worst: t[best] } : { from: zone[0], to: zone[1], worst: zone[0] };
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
