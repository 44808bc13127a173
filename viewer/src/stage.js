/* The stage: one canvas, one or two panes side by side, each a scene with a camera; cameras look the same way. Draws only when something
 * changed. Panes are elements of the page, so that their place comes from the style sheet, and the pointer is theirs. */
import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { LineSegments2 } from 'three/examples/jsm/lines/LineSegments2.js';
import { LineSegmentsGeometry } from 'three/examples/jsm/lines/LineSegmentsGeometry.js';
import { LineMaterial } from 'three/examples/jsm/lines/LineMaterial.js';

const FIELD = 32; /* degrees */
const HEAD = 44; /* pixels, above and below together, for what stands at a pane's edge */

class Pane {
  constructor(element, onChange) {
    this.element = element;
    this.scene = new THREE.Scene();
    this.perspective = new THREE.PerspectiveCamera(FIELD, 1, 0.01, 1000);
    this.flat = new THREE.OrthographicCamera(-1, 1, 1, -1, -1000, 1000);
    this.camera = this.perspective;
    this.labels = [];
    for (const camera of [this.perspective, this.flat]) camera.up.set(0, 0, 1);
    const key = new THREE.DirectionalLight(0xffffff, 1.9);
    const fill = new THREE.DirectionalLight(0xffffff, 0.9);
    key.position.set(-0.5, 0.9, 1);
    fill.position.set(0.8, -0.4, 0.3);
    this.rig = new THREE.Group();
    this.rig.add(key, key.target, fill, fill.target);
    this.scene.add(this.rig, new THREE.HemisphereLight(0xffffff, 0xb9bec6, 1.7));
    this.controls = new OrbitControls(this.camera, element);
    this.controls.enableDamping = false;
    this.controls.zoomSpeed = 0.8;
    this.controls.addEventListener('change', () => onChange(this));
  }

  resize(box) {
    const { left, top, width, height } = this.element.getBoundingClientRect();
    this.box = { left: left - box.left, top: top - box.top, width, height };
    const aspect = width / Math.max(height, 1);
    this.perspective.aspect = aspect;
    this.perspective.updateProjectionMatrix();
    this.flat.left = -aspect;
    this.flat.right = aspect;
    this.flat.updateProjectionMatrix();
  }

  setFlat(flat) {
    this.camera = flat ? this.flat : this.perspective;
    this.controls.object = this.camera;
    this.controls.enableRotate = !flat;
    this.controls.mouseButtons.LEFT = flat ? THREE.MOUSE.PAN : THREE.MOUSE.ROTATE;
    this.controls.touches.ONE = flat ? THREE.TOUCH.PAN : THREE.TOUCH.ROTATE;
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
      this.flat.up.set(0, 1, 0);
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
    const { target } = this.controls;
    if (this.camera === this.flat) {
      target.x += right / this.flat.zoom;
      target.y += up / this.flat.zoom;
      this.flat.position.set(target.x, target.y, target.z + 10);
    } else {
      const away = this.perspective.position.clone().sub(target);
      const turned = new THREE.Spherical().setFromVector3(away.set(away.y, away.z, away.x)); /* theirs has y up */
      turned.theta += right;
      turned.phi = Math.min(Math.PI - 0.02, Math.max(0.02, turned.phi - up));
      away.setFromSpherical(turned);
      this.perspective.position.set(target.x + away.z, target.y + away.x, target.z + away.y);
    }
    this.controls.update();
  }

  zoom(factor) {
    const { target } = this.controls;
    if (this.camera === this.flat) {
      this.flat.zoom *= factor;
      this.flat.updateProjectionMatrix();
    } else {
      this.perspective.position.sub(target).divideScalar(factor).add(target);
    }
    this.controls.update();
  }

  project(at, out) {
    out.copy(at).project(this.camera);
    out.x = ((out.x + 1) / 2) * this.box.width;
    out.y = ((1 - out.y) / 2) * this.box.height;
    return out;
  }
}

export class Stage {
  constructor(canvas, elements) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: false, preserveDrawingBuffer: false });
    this.renderer.setScissorTest(true);
    this.canvas = canvas;
    this.panes = elements.map((element) => new Pane(element, (pane) => this.follow(pane)));
    this.before = [];
    this.dirty = true;
    this.spot = new THREE.Vector3();
    this.frames = 0;
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    this.resize();
  }

  resize() {
    const box = this.canvas.parentElement.getBoundingClientRect();
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.setSize(box.width, box.height, false);
    for (const pane of this.panes) pane.resize(box);
    this.invalidate();
  }

  invalidate() { this.dirty = true; }

  /* Both panes look the same way. */
  follow(from) {
    this.invalidate();
    if (this.following) return;
    this.following = true;
    const way = this.spot.copy(from.camera.position).sub(from.controls.target).normalize();
    for (const pane of this.panes) {
      if (pane !== from && pane.camera === pane.perspective) {
        const distance = pane.camera.position.distanceTo(pane.controls.target);
        pane.camera.position.copy(pane.controls.target).addScaledVector(way, distance);
        pane.controls.update();
      }
    }
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
    this.renderer.setClearColor(colour);
    this.invalidate();
  }

  placeLabels(pane) {
    for (const label of pane.labels) {
      const shown = label.visible;
      if (label.element.hidden === shown) label.element.hidden = !shown;
      if (!shown) continue;
      if (label.ends) this.turnLabel(pane, label);
      pane.project(label.at, this.spot);
      label.element.style.transform = `translate(${Math.round(this.spot.x)}px, ${Math.round(this.spot.y)}px)`;
    }
  }

  /* The word of a line stands above it, or below where it rises to the right: there the line would run through the word. */
  turnLabel(pane, label) {
    const [a, b] = label.ends;
    const { x, y } = pane.project(a, this.spot);
    pane.project(b, this.spot);
    const [dx, dy] = [this.spot.x - x, this.spot.y - y];
    const below = dx * dy < 0 && Math.abs(dy) > 0.25 * Math.abs(dx);
    if (below === label.below) return;
    label.below = below;
    label.element.classList.toggle('below', below);
  }

  draw() {
    if (!this.dirty) return false;
    this.dirty = false;
    for (const update of this.before) update();
    for (const pane of this.panes) {
      const { left, top, width, height } = pane.box;
      if (width < 2 || height < 2) continue;
      const bottom = this.canvas.clientHeight - top - height;
      this.renderer.setViewport(left, bottom, width, height);
      this.renderer.setScissor(left, bottom, width, height);
      pane.rig.quaternion.copy(pane.camera.quaternion);
      this.renderer.render(pane.scene, pane.camera);
      this.placeLabels(pane);
    }
    this.frames += 1;
    return true;
  }
}

/* ---- what is drawn ---- */

/* A body: shaded faces, and its edges as lines. */
export class Solid {
  constructor(colour, line, { opacity = 1, width = 1.4, flat = false, lineOpacity = 1 } = {}) {
    this.group = new THREE.Group();
    this.material = flat
      ? new THREE.MeshBasicMaterial({ color: colour, transparent: true, opacity, side: THREE.DoubleSide, forceSinglePass: true, depthWrite: false })
      : new THREE.MeshStandardMaterial({ color: colour, roughness: 0.72, metalness: 0, transparent: opacity < 1, opacity, side: opacity < 1 ? THREE.DoubleSide : THREE.FrontSide, forceSinglePass: true, depthWrite: opacity >= 1, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
    this.mesh = new THREE.Mesh(new THREE.BufferGeometry(), this.material);
    this.lineMaterial = new LineMaterial({ color: line, linewidth: width, transparent: lineOpacity < 1, opacity: lineOpacity });
    this.edges = new LineSegments2(new LineSegmentsGeometry(), this.lineMaterial);
    this.group.add(this.mesh, this.edges);
  }

  set({ geometry, lines }) {
    this.mesh.geometry.dispose();
    this.edges.geometry.dispose();
    this.mesh.geometry = geometry;
    this.mesh.visible = geometry.getAttribute('position') !== undefined;
    this.edges.geometry = new LineSegmentsGeometry();
    this.edges.visible = lines.length > 0;
    if (lines.length > 0) this.edges.geometry.setPositions(lines);
  }

  /* A shell that may change at any time; it stays the caller's. */
  wear(shell) {
    if (this.shell === shell) return;
    this.shell = shell;
    this.mesh.geometry.dispose();
    this.edges.geometry.dispose();
    this.mesh.geometry = shell.geometry;
    this.edges.geometry = shell.edges;
    this.mesh.frustumCulled = this.edges.frustumCulled = false;
  }

  colour(colour, line) {
    this.material.color.set(colour);
    this.lineMaterial.color.set(line);
  }

  /* Of glass, so that one sees what is inside. */
  setGlass(glass) {
    const { material } = this;
    if (material.transparent === glass) return;
    material.transparent = glass;
    material.opacity = glass ? 0.5 : 1;
    material.depthWrite = !glass;
    material.needsUpdate = true;
  }

  dispose() {
    if (!this.shell) {
      this.mesh.geometry.dispose();
      this.edges.geometry.dispose();
    }
    this.material.dispose();
    this.lineMaterial.dispose();
  }
}

/* A round spot, `size` pixels wide, always in front. */
const disc = (() => {
  let texture = null;
  return () => {
    if (texture === null) {
      const canvas = document.createElement('canvas');
      canvas.width = canvas.height = 64;
      const pen = canvas.getContext('2d');
      pen.arc(32, 32, 30, 0, 2 * Math.PI);
      pen.fillStyle = '#fff';
      pen.fill();
      texture = new THREE.CanvasTexture(canvas);
    }
    return texture;
  };
})();

export class Spots {
  constructor(most, size, colour, rim) {
    this.group = new THREE.Group();
    this.attribute = new THREE.BufferAttribute(new Float32Array(3 * most), 3).setUsage(THREE.DynamicDrawUsage);
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', this.attribute);
    geometry.boundingSphere = new THREE.Sphere(new THREE.Vector3(), 1e9);
    const make = (pixels, order) => {
      const material = new THREE.PointsMaterial({ size: pixels, sizeAttenuation: false, map: disc(), alphaTest: 0.5, transparent: true, depthTest: false });
      const points = new THREE.Points(geometry, material);
      points.renderOrder = order;
      points.frustumCulled = false;
      this.group.add(points);
      return material;
    };
    this.outer = make(size + 4, 20);
    this.inner = make(size, 21);
    this.geometry = geometry;
    this.colour(colour, rim);
    this.count(0);
  }

  colour(colour, rim) {
    this.inner.color.set(colour);
    this.outer.color.set(rim);
  }

  put(i, x, y, z) { this.attribute.setXYZ(i, x, y, z); }

  count(n) {
    this.geometry.setDrawRange(0, n);
    this.attribute.needsUpdate = true;
    this.group.visible = n > 0;
  }
}

/* Straight lines of a width in pixels; `through`: also where bodies hide them. */
export class Lines {
  constructor(most, width, colour, { through = true, opacity = 1, dashed = false } = {}) {
    this.positions = new Float32Array(6 * most);
    this.geometry = new LineSegmentsGeometry();
    this.geometry.setPositions(this.positions);
    this.material = new LineMaterial({ color: colour, linewidth: width, depthTest: !through, transparent: opacity < 1 || through, opacity, dashed, dashSize: 0.06, gapSize: 0.05 });
    this.object = new LineSegments2(this.geometry, this.material);
    this.object.renderOrder = through ? 15 : 0;
    this.object.frustumCulled = false;
    this.dashed = dashed;
    this.count(0);
  }

  put(i, ax, ay, az, bx, by, bz) {
    const { positions } = this;
    const at = 6 * i;
    positions[at] = ax;
    positions[at + 1] = ay;
    positions[at + 2] = az;
    positions[at + 3] = bx;
    positions[at + 4] = by;
    positions[at + 5] = bz;
  }

  /* Same as put, from arrays at offsets, without a list in between. */
  join(i, p, pi, q, qi) {
    for (let k = 0; k < 3; k++) {
      this.positions[6 * i + k] = p[pi + k];
      this.positions[6 * i + 3 + k] = q[qi + k];
    }
  }

  count(n) {
    const start = this.geometry.getAttribute('instanceStart');
    start.data.array.set(this.positions);
    start.data.needsUpdate = true;
    this.geometry.instanceCount = n;
    if (this.dashed && n > 0) this.object.computeLineDistances();
    this.object.visible = n > 0;
  }
}

/* An arrow, also where bodies hide it. */
export class Arrow {
  constructor(width, colour) {
    this.line = new Lines(1, width, colour);
    this.material = new THREE.MeshBasicMaterial({ color: colour, depthTest: false, transparent: true });
    this.head = new THREE.Mesh(new THREE.ConeGeometry(0.5, 1, 24), this.material);
    this.head.renderOrder = 16;
    this.group = new THREE.Group();
    this.group.add(this.line.object, this.head);
    this.group.visible = false;
    this.y = new THREE.Vector3(0, 1, 0);
    this.way = new THREE.Vector3();
  }

  colour(colour) {
    this.line.material.color.set(colour);
    this.material.color.set(colour);
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
    this.group.visible = true;
  }
}

/* A square in space, for planes that separate or support. */
export class Sheet {
  constructor(colour, opacity = 0.16) {
    this.group = new THREE.Group();
    const geometry = new THREE.PlaneGeometry(1, 1);
    this.material = new THREE.MeshBasicMaterial({ color: colour, transparent: true, opacity, side: THREE.DoubleSide, forceSinglePass: true, depthWrite: false });
    this.mesh = new THREE.Mesh(geometry, this.material);
    this.rim = new LineMaterial({ color: colour, linewidth: 1.4, transparent: true, opacity: 0.75 });
    const line = new LineSegmentsGeometry();
    line.setPositions([-0.5, -0.5, 0, 0.5, -0.5, 0, 0.5, -0.5, 0, 0.5, 0.5, 0, 0.5, 0.5, 0, -0.5, 0.5, 0, -0.5, 0.5, 0, -0.5, -0.5, 0]);
    this.edges = new LineSegments2(line, this.rim);
    this.group.add(this.mesh, this.edges);
    this.z = new THREE.Vector3(0, 0, 1);
    this.n = new THREE.Vector3();
  }

  colour(colour) {
    this.material.color.set(colour);
    this.rim.color.set(colour);
  }

  place(x, y, z, nx, ny, nz, size) {
    this.group.position.set(x, y, z);
    this.group.quaternion.setFromUnitVectors(this.z, this.n.set(nx, ny, nz));
    this.group.scale.setScalar(size);
  }
}

/* A word at a place. */
export function makeLabel(pane, text, kind = '') {
  const element = document.createElement('div');
  element.className = `label ${kind}`;
  element.append(Object.assign(document.createElement('span'), { textContent: text }));
  pane.element.append(element);
  const label = {
    element, at: new THREE.Vector3(), visible: true, ends: null, below: false,
    set(word) { if (element.firstChild.textContent !== word) element.firstChild.textContent = word; },
    /* In the middle of a line, out of its way. */
    beside(a, b, matrix) {
      this.ends ??= [new THREE.Vector3(), new THREE.Vector3()];
      this.ends[0].fromArray(a);
      this.ends[1].fromArray(b);
      if (matrix) for (const end of this.ends) end.applyMatrix4(matrix);
      this.at.copy(this.ends[0]).add(this.ends[1]).multiplyScalar(0.5);
    },
  };
  pane.labels.push(label);
  return label;
}

/* 1, 2 or 5 times a power of ten, so that eight of them reach well beyond a radius. */
export function niceStep(radius) {
  const power = 10 ** Math.floor(Math.log10(0.45 * radius));
  return power * [1, 2, 5, 10].find((m) => m * power >= 0.45 * radius);
}

/* Lines on the floor, to see depth. */
export function makeFloor(colour) {
  const lines = [];
  for (let i = -8; i <= 8; i++) lines.push(i, -8, 0, i, 8, 0, -8, i, 0, 8, i, 0);
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.Float32BufferAttribute(lines, 3));
  return new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ color: colour }));
}

export { THREE };
