/* Pictures of what is shown: the canvas with its labels as pixels, or the scene as lines and polygons (SVG). */
import * as THREE from 'three';
import { Dots, Faces, Strokes } from './paint.js';

const css = (c) => `rgb(${c.map((x) => Math.round(255 * Math.min(1, Math.max(0, x)))).join()})`;
const escape = (text) => text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);

/* The labels that are seen: text, place on the stage, colour. */
function labelsOf(app) {
  const list = [];
  const stage = app.stage.canvas.getBoundingClientRect();
  for (const pane of app.stage.panes) {
    if (pane.box.width < 2 || pane.box.height < 2) continue;
    for (const { element, span, visible, word } of pane.labels) {
      if (!visible || !word || element.hidden) continue;
      const box = span.getBoundingClientRect();
      const style = getComputedStyle(span);
      list.push({ word, x: box.left - stage.left + box.width / 2, y: box.top - stage.top + box.height / 2, width: box.width, height: box.height, colour: style.color, back: style.backgroundColor, size: parseFloat(style.fontSize), weight: style.fontWeight });
    }
  }
  return list;
}

/* Into a canvas: what is drawn now, and the labels above it. */
export function composePicture(app, canvas = document.createElement('canvas')) {
  const { stage } = app;
  stage.invalidate();
  stage.draw(); /* what was drawn stays readable until the browser has shown it */
  const { width, height } = stage.canvas;
  const ratio = width / stage.canvas.getBoundingClientRect().width;
  const bottom = Math.max(...stage.panes.map(({ element }) => element.offsetTop + element.offsetHeight));
  const tall = Math.min(height, Math.round(bottom * ratio));
  if (canvas.width !== width || canvas.height !== tall) {
    canvas.width = width;
    canvas.height = tall;
  }
  const pen = canvas.getContext('2d');
  pen.fillStyle = app.theme.back;
  pen.fillRect(0, 0, width, tall);
  pen.drawImage(stage.canvas, 0, 0);
  pen.textAlign = 'center';
  pen.textBaseline = 'middle';
  for (const label of labelsOf(app)) {
    pen.fillStyle = label.back;
    pen.beginPath();
    pen.roundRect((label.x - label.width / 2) * ratio, (label.y - label.height / 2) * ratio, label.width * ratio, label.height * ratio, Math.min(10, label.height / 2) * ratio);
    pen.fill();
    pen.fillStyle = label.colour;
    pen.font = `${label.weight} ${label.size * ratio}px system-ui, sans-serif`;
    pen.fillText(label.word, label.x * ratio, label.y * ratio);
  }
  return canvas;
}

/* ---- as lines and polygons ---- */

const linearToScreen = (x) => (x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055);

/* Everything a scene draws, farthest first; what is seen through everything, last. */
function gather(place, list) {
  if (!place.visible) return;
  if (place instanceof Faces || place instanceof Strokes || place instanceof Dots) list.push(place);
  else for (const child of place.children) gather(child, list);
}

function itemsOf(pane) {
  const inks = [];
  gather(pane.scene, inks);
  const { camera, box } = pane;
  const items = [];
  const eye = new THREE.Matrix4().copy(camera.matrixWorldInverse);
  const sun = new THREE.Vector3(0.35, 0.55, 0.76).normalize();
  const point = (array, i, ink) => {
    const p = new THREE.Vector3().fromArray(array, i).applyMatrix4(ink.world).applyMatrix4(eye);
    const depth = -p.z;
    p.applyMatrix4(camera.projectionMatrix);
    return { x: ((p.x + 1) / 2) * box.width + box.left, y: ((1 - p.y) / 2) * box.height, depth, ok: camera.isOrthographicCamera || depth > camera.near };
  };
  const colour = (ink, light = 1) => css([0, 1, 2].map((k) => linearToScreen(ink.colour[k] * light)));
  const n = new THREE.Vector3();
  for (const ink of inks) {
    const late = ink.through ? 1e6 : 0;
    const opacity = ink.colour[3];
    if (ink instanceof Faces) {
      const { position, normal, triangles } = ink.source;
      for (let i = 0; i < 9 * triangles; i += 9) {
        const corners = [0, 3, 6].map((k) => point(position, i + k, ink));
        if (!corners.every(({ ok }) => ok)) continue;
        const [a, b, c] = corners;
        const turn = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
        if (turn >= 0 && !ink.both) continue;
        n.fromArray(normal, i).transformDirection(ink.world).transformDirection(eye);
        const light = ink.shaded ? 0.45 + 0.6 * Math.max(0, n.dot(sun)) : 1;
        const fill = colour(ink, light);
        items.push({ depth: (a.depth + b.depth + c.depth) / 3 - late, text: `<path d="M${corners.map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`).join('L')}Z" fill="${fill}"${opacity < 1 ? ` fill-opacity="${opacity.toFixed(2)}"` : ` stroke="${fill}" stroke-width="0.4"`}/>` });
      }
    } else if (ink instanceof Strokes) {
      for (let i = 0; i < 6 * ink.source.lines; i += 6) {
        const [a, b] = [point(ink.source.line, i, ink), point(ink.source.line, i + 3, ink)];
        if (!a.ok || !b.ok) continue;
        items.push({ depth: 0.5 * (a.depth + b.depth) * 0.995 - late, text: `<path d="M${a.x.toFixed(1)} ${a.y.toFixed(1)}L${b.x.toFixed(1)} ${b.y.toFixed(1)}" stroke="${colour(ink)}" stroke-width="${ink.sizes[0].toFixed(1)}"${opacity < 1 ? ` stroke-opacity="${opacity.toFixed(2)}"` : ''} stroke-linecap="round"/>` });
      }
    } else {
      for (let i = 0; i < 3 * ink.source.spots; i += 3) {
        const p = point(ink.source.position, i, ink);
        if (p.ok) items.push({ depth: -2e6, text: `<circle cx="${p.x.toFixed(1)}" cy="${p.y.toFixed(1)}" r="${(ink.sizes[0] / 2).toFixed(1)}" fill="${colour(ink)}"/>` });
      }
    }
  }
  return items.sort((p, q) => q.depth - p.depth);
}

export function drawSvg(app) {
  const { stage, theme } = app;
  stage.invalidate();
  stage.draw();
  const shown = stage.panes.filter(({ box }) => box.width >= 2 && box.height >= 2);
  const total = stage.canvas.getBoundingClientRect();
  const tall = Math.max(...shown.map(({ element }) => element.offsetTop + element.offsetHeight));
  const parts = shown.map((pane, i) => {
    const top = pane.element.offsetTop;
    const { left, width, height } = pane.box;
    return `<clipPath id="pane${i}"><rect x="${left}" y="0" width="${width}" height="${height}"/></clipPath><g transform="translate(0 ${top})" clip-path="url(#pane${i})" fill="none">${itemsOf(pane).map(({ text }) => text).join('\n')}</g>`;
  });
  const words = labelsOf(app).map((label) => `<text x="${label.x.toFixed(1)}" y="${label.y.toFixed(1)}" dy="0.35em" text-anchor="middle" font-size="${label.size}" font-weight="${label.weight}" fill="${label.back !== 'rgba(0, 0, 0, 0)' && label.colour === 'rgb(255, 255, 255)' ? label.back : label.colour}">${escape(label.word)}</text>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${total.width}" height="${tall}" viewBox="0 0 ${total.width} ${tall}" font-family="system-ui, sans-serif">\n<title>${escape(document.title)}</title>\n<rect width="100%" height="100%" fill="${theme.back}"/>\n${parts.join('\n')}\n${words.join('\n')}\n</svg>\n`;
}
