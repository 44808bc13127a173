/* Small things of the page. */

/* h('div', { class: 'x', onclick }, child, 'text') */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name in element && name !== 'list' && typeof value !== 'string') element[name] = value;
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/* A few digits for reading; all of them are in tooltips and in JSON. */
export function short(x, digits = 5) {
  if (!Number.isFinite(x)) return x < 0 ? '−∞' : '∞';
  if (x === 0) return '0';
  const size = Math.abs(x);
  const text = size < 1e-4 || size >= 1e6 ? x.toExponential(Math.max(0, digits - 2)) : size >= 10 ** digits ? x.toFixed(0) : x.toPrecision(digits);
  return text.replace(/e([+-]\d+)/, (_, power) => `×10${superscript(Number(power))}`).replace('-', '−');
}

export const superscript = (power) => String(power).replace(/./g, (c) => (c === '-' ? '⁻' : '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(c)]));

/* What is rounding beside the largest coordinate is shown as zero. */
export function point(p, dim = 3) {
  const list = Array.from(p).slice(0, dim);
  const dust = 1e-12 * Math.max(...list.map(Math.abs));
  return `(${list.map((x) => short(Math.abs(x) < dust ? 0 : x, 3)).join(', ')})`;
}

const said = new WeakMap();

/* Text where the element's text is another one: the page does not lay out anew for nothing. Reading it back would make a new text. */
export function say(element, text) {
  if (said.get(element) === text) return;
  said.set(element, text);
  element.textContent = text;
}

/* Calls back at most every so many milliseconds, and once at the end. */
export function throttle(wait, call) {
  let timer = 0;
  const fire = () => {
    timer = 0;
    call();
  };
  return () => { if (timer === 0) timer = setTimeout(fire, wait); };
}

/* Calls back when it was not called for about so many milliseconds. It counts, because every look at the clock makes a number. */
export function settle(wait, call) {
  const parts = 5;
  let timer = 0;
  let quiet = 0;
  const fire = () => {
    quiet += 1;
    timer = quiet < parts ? setTimeout(fire, wait / parts) : 0;
    if (timer === 0) call();
  };
  return () => {
    quiet = 0;
    if (timer === 0) timer = setTimeout(fire, wait / parts);
  };
}

export function download(name, text) {
  const link = h('a', { download: name, href: URL.createObjectURL(new Blob([text], { type: 'text/plain' })) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = h('textarea', { style: 'position:fixed;opacity:0' });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
}

let timer = 0;
export function toast(text, kind = '') {
  const element = document.getElementById('toast');
  element.textContent = text;
  element.className = `show ${kind}`;
  clearTimeout(timer);
  timer = setTimeout(() => { element.className = ''; }, kind === 'bad' ? 9000 : 2500);
}
