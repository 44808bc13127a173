/* Bodies in the hand: pointer, touch and keys. Left or one finger on a body moves it in the plane of the screen; with Shift, the right
 * button or in the mode "turn" it turns. Beside a body the camera moves (orbit.js). */
import * as THREE from 'three';

const TURN = 0.008; /* radians a pixel */

/* A unit quaternion x, y, z, w after one more turn about a vector, as far as that is long. */
function premultiply(q, axis) {
  const angle = axis.length();
  const s = angle > 0 ? Math.sin(angle / 2) / angle : 0.5;
  const x = s * axis.x;
  const y = s * axis.y;
  const z = s * axis.z;
  const w = Math.cos(angle / 2);
  const a = w * q[0] + x * q[3] + y * q[2] - z * q[1];
  const b = w * q[1] + y * q[3] + z * q[0] - x * q[2];
  const c = w * q[2] + z * q[3] + x * q[1] - y * q[0];
  const d = w * q[3] - x * q[0] - y * q[1] - z * q[2];
  const length = Math.sqrt(a * a + b * b + c * c + d * d);
  q[0] = a / length;
  q[1] = b / length;
  q[2] = c / length;
  q[3] = d / length;
}

export class Drag {
  constructor(view, { onMove, onSelect }) {
    this.view = view;
    this.onMove = onMove;
    this.onSelect = onSelect;
    this.turning = false;
    this.enabled = true;
    this.selected = 1;
    this.ray = new THREE.Ray();
    this.plane = new THREE.Plane();
    this.hit = new THREE.Vector3();
    this.otherHit = new THREE.Vector3();
    this.offset = new THREE.Vector3();
    this.axis = new THREE.Vector3();
    this.by = new Float64Array(2);
    this.last = new Float64Array(2); /* where the pointer was */
    this.held = -1;
    this.cursor = '';
    const { element } = view.world;
    element.addEventListener('pointerdown', (event) => this.down(event), { capture: true });
    element.addEventListener('pointermove', (event) => this.move(event), { capture: true });
    for (const name of ['pointerup', 'pointercancel']) element.addEventListener(name, (event) => this.up(event), { capture: true });
    element.addEventListener('contextmenu', (event) => event.preventDefault());
  }

  /* The ray through the pointer, of any length. In the plane all rays are parallel. */
  aim(event) {
    const { camera, flat, box } = this.view.world;
    const { origin, direction } = this.ray;
    const x = (event.offsetX / box.width) * 2 - 1;
    const y = 1 - (event.offsetY / box.height) * 2;
    if (camera === flat) {
      origin.set(x, y, -1).unproject(camera);
      camera.getWorldDirection(direction);
    } else {
      origin.copy(camera.position);
      direction.set(x, y, 0.5).unproject(camera).sub(origin);
    }
  }

  /* The body under the pointer, -1 if none. */
  find(event) {
    this.aim(event);
    const far = this.view.handles[0].meet(this.ray, this.hit);
    const otherFar = this.view.handles[1].meet(this.ray, this.otherHit);
    if (otherFar < far) this.hit.copy(this.otherHit);
    return Math.min(far, otherFar) === Infinity ? -1 : otherFar < far ? 1 : 0;
  }

  down(event) {
    if (!this.enabled || this.held >= 0 || (event.button !== 0 && event.button !== 2)) return;
    const i = this.find(event);
    if (i < 0) return;
    event.stopImmediatePropagation();
    event.preventDefault();
    this.view.world.element.setPointerCapture(event.pointerId);
    this.held = i;
    this.pointer = event.pointerId;
    this.turnsNow = this.turning || event.shiftKey || event.button === 2;
    this.last[0] = event.clientX;
    this.last[1] = event.clientY;
    const { camera } = this.view.world;
    this.plane.setFromNormalAndCoplanarPoint(camera.getWorldDirection(this.axis), this.hit);
    this.offset.set(...this.view.poses[i].p).sub(this.hit);
    this.select(i);
    this.view.world.element.classList.add('by-pointer'); /* a frame around it is for keys */
    this.view.world.element.focus({ preventScroll: true });
  }

  select(i) {
    this.selected = i;
    this.onSelect(i);
  }

  move(event) {
    if (this.held < 0 || event.pointerId !== this.pointer) {
      if (this.enabled && event.pointerType === 'mouse' && event.buttons === 0) this.setCursor(this.find(event) >= 0 ? 'grab' : '');
      return;
    }
    event.stopImmediatePropagation();
    if (this.turnsNow) {
      this.by[0] = (event.clientX - this.last[0]) * TURN;
      this.by[1] = (event.clientY - this.last[1]) * TURN;
      this.turnBy(this.held);
    } else {
      this.aim(event);
      this.carry(this.held);
    }
    this.last[0] = event.clientX;
    this.last[1] = event.clientY;
  }

  /* To where the pointer's ray meets the plane of the screen in which the body was taken. */
  carry(i) {
    const { ray: { origin, direction }, plane: { normal, constant }, offset } = this;
    const { p } = this.view.poses[i];
    const slope = normal.x * direction.x + normal.y * direction.y + normal.z * direction.z;
    const far = -(normal.x * origin.x + normal.y * origin.y + normal.z * origin.z + constant) / slope;
    if (!(far >= 0 && far < Infinity)) return;
    p[0] = origin.x + far * direction.x + offset.x;
    p[1] = origin.y + far * direction.y + offset.y;
    p[2] = this.view.flat ? 0 : origin.z + far * direction.z + offset.z;
    this.onMove(i, false);
  }

  setCursor(cursor) {
    if (cursor !== this.cursor) this.view.world.element.style.cursor = cursor;
    this.cursor = cursor;
  }

  up(event) {
    if (this.held < 0 || event.pointerId !== this.pointer) return;
    event.stopImmediatePropagation();
    this.held = -1;
  }

  /* By angles to the right and downwards as seen on the screen. */
  turn(i, right, down) {
    this.by[0] = right;
    this.by[1] = down;
    this.turnBy(i);
  }

  turnBy(i) {
    const pose = this.view.poses[i];
    const { axis, by } = this;
    if (this.view.flat) axis.set(0, 0, -by[0] - by[1]);
    else axis.set(by[1], by[0], 0).applyQuaternion(this.view.world.camera.quaternion);
    premultiply(pose.q, axis);
    pose.m = null;
    this.onMove(i, true);
  }

  /* Arrow keys, and Page Up and Down for near and far. True: it was one of them. */
  key(event) {
    const ways = { ArrowLeft: [-1, 0, 0], ArrowRight: [1, 0, 0], ArrowUp: [0, 1, 0], ArrowDown: [0, -1, 0], PageUp: [0, 0, -1], PageDown: [0, 0, 1] };
    const way = ways[event.key];
    if (!way || !this.enabled) return false;
    const size = event.altKey ? 0.002 : 0.02;
    if (event.shiftKey || this.turning) {
      this.turn(this.selected, way[0] * size * 4, -way[1] * size * 4);
    } else {
      const { p } = this.view.poses[this.selected];
      this.axis.set(...way).multiplyScalar(size * this.view.scale);
      if (!this.view.flat) this.axis.applyQuaternion(this.view.world.camera.quaternion);
      p[0] += this.axis.x;
      p[1] += this.axis.y;
      p[2] = this.view.flat ? 0 : p[2] + this.axis.z;
      this.onMove(this.selected, false);
    }
    return true;
  }
}
