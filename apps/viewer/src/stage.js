/* The stage: one canvas, one or two panes side by side, each a scene with a camera; cameras look the same way. Draws only when something
 * changed. Panes are elements of the page, so that their place comes from the style sheet, and the pointer is theirs. */
import * as THREE from 'three';
import { Orbit } from './orbit.js';
import { matrix, Painter, Place } from './paint.js';

const FIELD = 32; /* degrees */
const LINE = 21; /* pixels that a label takes */
const HEAD = 44; /* pixels, above and below together, for what stands at a pane's edge */

/* '7px' and so on, each made once: labels move every frame. */
const pixelTexts = new Map();
function pixels(n) {
  let text = pixelTexts.get(n);
  if (text === undefined) pixelTexts.set(n, text = `${n}px`);
  return text;
}

class Pane {
  constructor(element, onChange, onEnd) {
    this.element = element;
    this.scene = new Place();
    this.perspective = new THREE.PerspectiveCamera(FIELD, 1, 0.01, 1000);
    this.flat = new THREE.OrthographicCamera(-1, 1, 1, -1, -1000, 1000);
    for (const camera of [this.perspective, this.flat]) for (const name of ['matrix', 'matrixWorld', 'matrixWorldInverse', 'projectionMatrix', 'projectionMatrixInverse']) matrix(camera[name]);
    this.camera = this.perspective;
    this.labels = [];
    this.controls = new Orbit(this.camera, element, () => onChange(this), onEnd);
  }

  resize(box) {
    const { left, top, width, height } = this.element.getBoundingClientRect();
    this.box = { left: left - box.left, bottom: box.bottom - top - height, width, height };
    const aspect = width / Math.max(height, 1);
    this.perspective.aspect = aspect;
    this.perspective.updateProjectionMatrix();
    this.flat.left = -aspect;
    this.flat.right = aspect;
    this.flat.updateProjectionMatrix();
  }

  /* Seen from below, a floor's lines would run across everything. */
  hideFloorBelow() {
    const { children } = this.scene;
    for (let i = 0; i < children.length; i++) this.lowerIn(children[i]);
  }

  lowerIn(place) {
    if (place.isFloor) {
      const lines = this.camera === this.flat || this.camera.position.z > place.position.z ? place.most : 0;
      if (place.source.lines !== lines) place.source.lines = lines;
      return;
    }
    const { children } = place;
    for (let i = 0; i < children.length; i++) if (children[i].isFloor) this.lowerIn(children[i]);
  }

  setFlat(flat) {
    this.camera = flat ? this.flat : this.perspective;
    this.controls.camera = this.camera;
    this.controls.flat = flat;
  }

  /* Shows all of these points (xyz after xyz), seen from a direction, as large as they fit into this share of the pane. */
  frame(points, direction, share = 0.88) {
    const flat = this.camera === this.flat;
    const back = flat ? new THREE.Vector3(0, 0, 1) : direction.clone().normalize();
    const right = flat ? new THREE.Vector3(1, 0, 0) : new THREE.Vector3(0, 0, 1).cross(back).normalize();
    const up = back.clone().cross(right);
    const axes = [right, up, back];
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    const p = new THREE.Vector3();
    const each = (call) => { for (let i = 0; i + 2 < points.length; i += 3) call(p.set(points[i], points[i + 1], points[i + 2])); };
    each(() => axes.forEach((axis, k) => {
      low[k] = Math.min(low[k], p.dot(axis));
      high[k] = Math.max(high[k], p.dot(axis));
    }));
    const aspect = this.box ? this.box.width / Math.max(this.box.height, 1) : 1;
    const upright = share * (this.box ? Math.max(0.5, 1 - HEAD / Math.max(this.box.height, 1)) : 1);
    const center = new THREE.Vector3();
    axes.forEach((axis, k) => center.addScaledVector(axis, (low[k] + high[k]) / 2));
    this.controls.target.copy(center);
    if (flat) {
      this.flat.position.set(center.x, center.y, center.z + 10);
      this.flat.zoom = 2 / Math.max((high[0] - low[0]) / aspect / share, (high[1] - low[1]) / upright, 1e-9);
      this.flat.updateProjectionMatrix();
    } else {
      const half = Math.tan(THREE.MathUtils.degToRad(FIELD / 2));
      const [wide, tall] = [half * aspect * share, half * upright];
      let distance = 1e-9;
      each(() => {
        p.sub(center);
        distance = Math.max(distance, p.dot(back) + Math.abs(p.dot(right)) / wide, p.dot(back) + Math.abs(p.dot(up)) / tall);
      });
      this.perspective.position.copy(center).addScaledVector(back, distance);
      this.perspective.near = distance / 200;
      this.perspective.far = distance * 40;
      this.perspective.updateProjectionMatrix();
    }
    this.controls.update();
  }

  /* What the camera looks at, and how far around it one sees in a square of the pane's smaller side: the same on every screen. */
  look() {
    const { target } = this.controls;
    const side = Math.min(1, this.box.width / Math.max(this.box.height, 1));
    return [target.x, target.y, target.z, this.camera === this.flat ? side / this.flat.zoom : side * this.perspective.position.distanceTo(target)];
  }

  lookAs([x, y, z, reach]) {
    const { target } = this.controls;
    const side = Math.min(1, this.box.width / Math.max(this.box.height, 1));
    const way = this.camera.position.clone().sub(target).normalize();
    target.set(x, y, z);
    if (this.camera === this.flat) {
      this.flat.zoom = side / reach;
      this.flat.updateProjectionMatrix();
      this.flat.position.set(x, y, z + 10);
    } else {
      this.perspective.position.copy(target).addScaledVector(way, reach / side);
    }
    this.controls.update();
  }

  /* By angles to the right and upwards; in the plane by these shares of the picture. */
  orbit(right, up) {
    if (this.camera === this.flat) this.controls.shift(right / 2, up / 2);
    else this.controls.turn(right, up);
  }

  zoom(factor) { this.controls.zoom(factor); }

  project(at, out) {
    out.copy(at).project(this.camera);
    out.x = ((out.x + 1) / 2) * this.box.width;
    out.y = ((1 - out.y) / 2) * this.box.height;
    return out;
  }
}

export class Stage {
  constructor(canvas, elements) {
    this.painter = new Painter(canvas, () => this.invalidate());
    this.canvas = canvas;
    this.onLook = () => {}; /* when the camera comes to rest */
    this.panes = elements.map((element) => new Pane(element, (pane) => this.follow(pane), () => this.onLook()));
    this.before = [];
    this.dirty = true;
    this.spot = new THREE.Vector3();
    this.otherSpot = new THREE.Vector3();
    this.frames = 0;
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    this.resize();
  }

  resize() {
    const box = this.canvas.parentElement.getBoundingClientRect();
    this.painter.setSize(box.width, box.height, Math.min(devicePixelRatio, 2));
    for (const pane of this.panes) pane.resize(box);
    this.invalidate();
  }

  invalidate() { this.dirty = true; }

  /* Both panes look the same way. */
  follow(from) {
    this.invalidate();
    if (this.following) return;
    this.following = true;
    const { position } = from.camera;
    const { target } = from.controls;
    for (let i = 0; i < this.panes.length; i++) if (this.panes[i] !== from) this.panes[i].controls.lookAlong(position, target);
    this.following = false;
  }

  direction(out = new THREE.Vector3()) {
    const [pane] = this.panes;
    return out.copy(pane.perspective.position).sub(pane.controls.target).normalize();
  }

  /* Four numbers a pane. */
  look() { return this.panes.flatMap((pane) => pane.look()); }

  lookAs(list) {
    this.panes.forEach((pane, i) => list.length >= 4 * i + 4 && pane.lookAs(list.slice(4 * i, 4 * i + 4)));
    this.invalidate();
  }

  setBackground(colour) {
    this.painter.setBackground(colour);
    this.invalidate();
  }

  placeLabels(pane) {
    const { labels } = pane;
    for (let i = 0; i < labels.length; i++) {
      const label = labels[i];
      const { element } = label;
      if (element.hidden === label.visible) element.hidden = !label.visible;
      if (!label.visible) continue;
      if (label.isBeside) this.turnLabel(pane, label);
      pane.project(label.at, this.spot);
      let y = Math.round(this.spot.y);
      for (let j = 0; j < i; j++) y = this.clearOf(labels[j], label, Math.round(this.spot.x), y);
      this.moveLabel(label, Math.round(this.spot.x), y);
    }
  }

  /* A word that would lie on one that is there already goes below it, or above where it is above. */
  clearOf(other, label, x, y) {
    if (!other.visible || other.x !== other.x) return y;
    const dx = x + label.rightward - other.x - other.rightward;
    const dy = y + label.downward - other.y - other.downward;
    if (Math.abs(dx) >= (label.wide + other.wide) >> 1 || Math.abs(dy) >= LINE) return y;
    return dy < 0 ? y - Math.ceil(LINE + dy) : y + Math.ceil(LINE - dy);
  }

  moveLabel(label, x, y) {
    if (x !== label.x) label.element.style.left = pixels(x);
    if (y !== label.y) label.element.style.top = pixels(y);
    label.x = x;
    label.y = y;
  }

  /* The word of a line stands above it, or below where it rises to the right: there the line would run through the word. */
  turnLabel(pane, label) {
    const { spot, otherSpot } = this;
    pane.project(label.from, spot);
    pane.project(label.to, otherSpot);
    const dx = otherSpot.x - spot.x;
    const dy = otherSpot.y - spot.y;
    label.setBelow(dx * dy < 0 && Math.abs(dy) > 0.25 * Math.abs(dx));
  }

  draw() {
    if (!this.dirty) return false;
    this.dirty = false;
    for (let i = 0; i < this.panes.length; i++) this.panes[i].camera.updateMatrixWorld();
    for (let i = 0; i < this.before.length; i++) this.before[i]();
    for (let i = 0; i < this.panes.length; i++) {
      const pane = this.panes[i];
      if (pane.box.width < 2 || pane.box.height < 2) continue;
      pane.hideFloorBelow();
      this.painter.draw(pane.scene, pane.camera, pane.box);
      this.placeLabels(pane);
    }
    this.frames += 1;
    return true;
  }
}
