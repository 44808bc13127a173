/* What is drawn: bodies, lines, spots, arrows, sheets, words. */
import * as THREE from 'three';
import { Dots, Faces, Place, Strokes } from './paint.js';

const NOTHING = { position: new Float32Array(0), normal: new Float32Array(0), line: new Float32Array(0), triangles: 0, lines: 0, version: 0 };

/* A body: faces, shaded unless flat, and its edges as lines. */
export class Solid extends Place {
  constructor(look) {
    super();
    this.mesh = new Faces(NOTHING);
    this.edges = new Strokes(NOTHING, 1);
    this.add(this.mesh, this.edges);
    this.dress(look);
  }

  dress({ colour, line, opacity = 1, width = 1.4, flat = false, lineOpacity = 1, order = 0 }) {
    const { mesh, edges } = this;
    mesh.setColour(colour, opacity);
    mesh.shaded = !flat;
    mesh.glass = mesh.both = flat || opacity < 1;
    mesh.hides = !mesh.glass;
    mesh.order = order;
    edges.setColour(line, lineOpacity);
    edges.glass = lineOpacity < 1;
    edges.setWidth(width);
  }

  /* Arrays of a shell, which may change at any time. */
  wear(shell) {
    this.mesh.wear(shell);
    this.edges.wear(shell);
  }

  /* Of glass, so that one sees what is inside. */
  setGlass(glass) {
    const { mesh } = this;
    mesh.glass = glass;
    mesh.hides = !glass;
    mesh.colour[3] = glass ? 0.5 : 1;
  }
}

/* Round spots, `size` pixels wide without their rim. */
export class Spots extends Dots {
  constructor(most, size, colour, rim) {
    super({ position: new Float32Array(3 * most), spots: 0, version: 0 }, size);
    this.dress(colour, rim);
    this.count(0);
  }

  dress(colour, rim) {
    this.setColour(colour);
    this.setRim(rim);
  }

  put(i, x, y, z) {
    const { position } = this.source;
    position[3 * i] = x;
    position[3 * i + 1] = y;
    position[3 * i + 2] = z;
  }

  /* Same as put, from an array at an offset. */
  copy(i, p, pi) {
    const { position } = this.source;
    for (let k = 0; k < 3; k++) position[3 * i + k] = p[pi + k];
  }

  count(n) {
    this.source.spots = n;
    this.source.version += 1;
    this.visible = n > 0;
  }
}

/* Straight lines of a width in pixels; `through`: also where bodies hide them. */
export class Lines extends Strokes {
  constructor(most, width, colour, { through = true, opacity = 1 } = {}) {
    super({ line: new Float32Array(6 * most), lines: 0, version: 0 }, width);
    this.setColour(colour, opacity);
    this.through = through;
    this.glass = through || opacity < 1;
    this.order = through ? 15 : 0;
    this.count(0);
  }

  put(i, ax, ay, az, bx, by, bz) {
    const { line } = this.source;
    const at = 6 * i;
    line[at] = ax;
    line[at + 1] = ay;
    line[at + 2] = az;
    line[at + 3] = bx;
    line[at + 4] = by;
    line[at + 5] = bz;
  }

  /* Same as put, from arrays at offsets, without a list in between. */
  join(i, p, pi, q, qi) {
    const { line } = this.source;
    for (let k = 0; k < 3; k++) {
      line[6 * i + k] = p[pi + k];
      line[6 * i + 3 + k] = q[qi + k];
    }
  }

  count(n) {
    this.source.lines = n;
    this.source.version += 1;
    this.visible = n > 0;
  }
}

/* Faces in one colour whatever the light. */
function plainFaces(position, colour, opacity) {
  const faces = new Faces({ position, normal: position, triangles: position.length / 9, version: 0 });
  faces.setColour(colour, opacity);
  faces.shaded = false;
  faces.glass = faces.both = true;
  faces.hides = false;
  return faces;
}

/* The mantle of a cone along y, around the origin. */
function cone(sides) {
  const list = [];
  for (let i = 0; i < sides; i++) {
    for (const k of [i, i + 1]) list.push(0.5 * Math.sin((2 * Math.PI * k) / sides), -0.5, 0.5 * Math.cos((2 * Math.PI * k) / sides));
    list.push(0, 0.5, 0);
  }
  return new Float32Array(list);
}

/* An arrow, also where bodies hide it. */
export class Arrow extends Place {
  constructor(width, colour) {
    super();
    this.line = new Lines(1, width, colour);
    this.head = plainFaces(cone(24), colour, 1);
    this.head.through = true;
    this.head.order = 16;
    this.add(this.line, this.head);
    this.visible = false;
    this.y = new THREE.Vector3(0, 1, 0);
    this.way = new THREE.Vector3();
  }

  setColour(colour) {
    this.line.setColour(colour);
    this.head.setColour(colour);
  }

  /* From a point along a unit vector. */
  place(from, way, length) {
    const tip = from.map((x, i) => x + way[i] * length);
    const neck = from.map((x, i) => x + way[i] * 0.72 * length);
    this.line.join(0, from, 0, neck, 0);
    this.line.count(1);
    this.head.position.set(...tip).addScaledVector(this.way.set(...way), -0.16 * length);
    this.head.quaternion.setFromUnitVectors(this.y, this.way);
    this.head.scale.set(0.24 * length, 0.32 * length, 0.24 * length);
    this.visible = true;
  }
}

/* A square in space, for planes that separate or support. */
export class Sheet extends Place {
  constructor(colour, opacity = 0.16) {
    super();
    this.mesh = plainFaces(new Float32Array([-0.5, -0.5, 0, 0.5, -0.5, 0, 0.5, 0.5, 0, -0.5, -0.5, 0, 0.5, 0.5, 0, -0.5, 0.5, 0]), colour, opacity);
    this.rim = new Lines(4, 1.4, colour, { through: false, opacity: 0.75 });
    const corners = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]];
    corners.forEach(([x, y], i) => this.rim.put(i, x, y, 0, ...corners[(i + 1) % 4], 0));
    this.rim.count(4);
    this.add(this.mesh, this.rim);
    this.z = new THREE.Vector3(0, 0, 1);
    this.n = new THREE.Vector3();
  }

  setColour(colour) {
    this.mesh.setColour(colour);
    this.rim.setColour(colour);
  }

  /* Around a point, across a unit vector. */
  place(at, normal) {
    this.position.fromArray(at);
    this.quaternion.setFromUnitVectors(this.z, this.n.fromArray(normal));
  }
}

/* The sheet of a half-space, where its numbers say. */
export function sheetOf([x, y, z, offset], colour, opacity, size) {
  const sheet = new Sheet(colour, opacity);
  const length = Math.hypot(x, y, z);
  const normal = [x / length, y / length, z / length];
  sheet.place(normal.map((value) => value * offset), normal);
  sheet.scale.setScalar(size);
  return sheet;
}

/* A word at a place. */
export class Label {
  constructor(pane, word, kind = '') {
    this.element = document.createElement('div');
    this.element.className = `label ${kind}`;
    this.span = document.createElement('span');
    this.element.append(this.span);
    this.at = new THREE.Vector3();
    this.from = new THREE.Vector3(); /* the line's ends, where it stands beside one */
    this.to = new THREE.Vector3();
    this.isBeside = false;
    this.visible = true;
    this.below = this.left = false;
    this.kind = kind;
    this.rightward = this.downward = 0; /* of the word's middle from its place, in pixels, about */
    this.wide = 20;
    this.x = this.y = NaN; /* on the screen */
    this.set(word);
    pane.element.append(this.element);
    pane.labels.push(this);
  }

  set(word) {
    if (word === this.word) return;
    this.word = word;
    this.span.textContent = word;
    this.wide = 8 * word.length + 10;
    const own = /^(a|b|difference)\b/.test(this.kind); /* stands on its place */
    this.rightward = own ? 0 : 10 + (this.wide >> 1);
    this.downward = own ? 0 : /measure/.test(this.kind) ? -18 : 14;
  }

  /* In the middle of a line, out of its way. */
  beside(a, b, matrix) {
    const { from, to } = this;
    this.isBeside = true;
    from.set(a[0], a[1], a[2]);
    to.set(b[0], b[1], b[2]);
    if (matrix) {
      from.applyMatrix4(matrix);
      to.applyMatrix4(matrix);
    }
    this.at.addVectors(from, to).multiplyScalar(0.5);
  }

  /* Which side of its place the word stands on; the page hears of it only when it changes. */
  setBelow(below) {
    if (below !== this.below) this.element.classList.toggle('below', below);
    this.downward = below ? 18 : -18;
    this.below = below;
  }

  setLeft(left) {
    if (left !== this.left) this.element.classList.toggle('left', left);
    this.rightward = (left ? -1 : 1) * (8 + (this.wide >> 1));
    this.left = left;
  }
}

/* 1, 2 or 5 times a power of ten, so that eight of them reach well beyond a radius. */
export function niceStep(radius) {
  const power = 10 ** Math.floor(Math.log10(0.45 * radius));
  return power * [1, 2, 5, 10].find((m) => m * power >= 0.45 * radius);
}

/* Lines on the floor, to see depth. */
export function makeFloor(colour) {
  const floor = new Lines(34, 1, colour, { through: false });
  for (let i = -8; i <= 8; i++) {
    floor.put(2 * (i + 8), i, -8, 0, i, 8, 0);
    floor.put(2 * (i + 8) + 1, -8, i, 0, 8, i, 0);
  }
  floor.count(34);
  floor.isFloor = true;
  floor.most = 34;
  return floor;
}
