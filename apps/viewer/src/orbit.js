/* The camera in the hand: a drag looks around what the camera looks at, with the right button or a key it moves along, the wheel and two
 * fingers go nearer. z is up; in the plane the picture is only moved. Nothing is allocated, and no number is passed that would be boxed. */
import { Vector3 } from 'three';

const NEAREST = 0.02; /* radians from the poles */
const NEARER = 0.95 ** 0.8; /* by a notch of the wheel, a hundred of its units */
const NOTHING = 0, TURN = 1, SHIFT = 2, ZOOM = 3;

export class Orbit {
  constructor(camera, element, onChange, onEnd) {
    this.camera = camera;
    this.element = element;
    this.onChange = onChange;
    this.onEnd = onEnd;
    this.flat = false;
    this.target = new Vector3();
    this.x = new Vector3();
    this.y = new Vector3();
    this.four = new Float64Array(4);
    this.does = NOTHING;
    this.fingers = new Map(); /* by the pointer's number: where it was last */
    element.addEventListener('pointerdown', (event) => this.down(event));
    element.addEventListener('pointermove', (event) => this.move(event));
    for (const name of ['pointerup', 'pointercancel']) element.addEventListener(name, (event) => this.up(event));
    element.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    element.addEventListener('contextmenu', (event) => event.preventDefault());
  }

  /* Looks from where the camera is to the target: from along z by one angle down from the pole, then around it by another. */
  update() {
    const { camera: { position, quaternion }, target, four } = this;
    const x = position.x - target.x;
    const y = position.y - target.y;
    const down = this.flat ? 0 : 0.5 * Math.atan2(Math.sqrt(x * x + y * y), position.z - target.z);
    const around = this.flat ? 0 : 0.5 * Math.atan2(x, -y);
    four[0] = Math.sin(down) * Math.cos(around);
    four[1] = Math.sin(down) * Math.sin(around);
    four[2] = Math.cos(down) * Math.sin(around);
    four[3] = Math.cos(down) * Math.cos(around);
    quaternion.fromArray(four);
    this.onChange();
  }

  /* The same way as from one place to another, as far from its own target as before. */
  lookAlong(from, to) {
    if (this.flat) return;
    const { camera: { position }, target } = this;
    const x = from.x - to.x;
    const y = from.y - to.y;
    const z = from.z - to.z;
    const u = position.x - target.x;
    const v = position.y - target.y;
    const w = position.z - target.z;
    const ratio = Math.sqrt((u * u + v * v + w * w) / (x * x + y * y + z * z));
    position.x = target.x + ratio * x;
    position.y = target.y + ratio * y;
    position.z = target.z + ratio * z;
    this.update();
  }

  /* By angles to the right and upwards. */
  turn(right, up) {
    const { target, camera: { position } } = this;
    const x = position.x - target.x;
    const y = position.y - target.y;
    const z = position.z - target.z;
    const wide = Math.sqrt(x * x + y * y);
    const far = Math.sqrt(wide * wide + z * z);
    const around = Math.atan2(y, x) + right;
    const down = Math.min(Math.PI - NEAREST, Math.max(NEAREST, Math.atan2(wide, z) - up));
    const out = far * Math.sin(down);
    position.x = target.x + out * Math.cos(around);
    position.y = target.y + out * Math.sin(around);
    position.z = target.z + far * Math.cos(down);
    this.update();
  }

  /* Camera and target, by shares of the picture's height to the right and upwards. */
  shift(right, up) {
    const { target, camera, x, y } = this;
    const height = this.flat ? 2 / camera.zoom : 2 * camera.position.distanceTo(target) * Math.tan((camera.fov * Math.PI) / 360);
    x.setFromMatrixColumn(camera.matrix, 0).multiplyScalar(height * right);
    y.setFromMatrixColumn(camera.matrix, 1).multiplyScalar(height * up).add(x);
    target.add(y);
    camera.position.add(y);
    this.update();
  }

  zoom(factor) {
    const { camera, target } = this;
    if (this.flat) {
      camera.zoom *= factor;
      camera.updateProjectionMatrix();
    } else camera.position.sub(target).divideScalar(factor).add(target);
    this.update();
  }

  down(event) {
    if (event.pointerType !== 'touch' && this.fingers.size > 0) return;
    this.element.setPointerCapture(event.pointerId);
    this.fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const moves = this.flat || event.button === 2 || event.ctrlKey || event.metaKey || event.shiftKey;
    this.does = event.button === 1 ? ZOOM : moves ? SHIFT : TURN;
  }

  move(event) {
    const finger = this.fingers.get(event.pointerId);
    if (!finger) return;
    const height = Math.max(1, this.element.clientHeight);
    const right = (event.clientX - finger.x) / height;
    const down = (event.clientY - finger.y) / height;
    if (this.fingers.size > 1) this.pinch(event, finger, right, down);
    finger.x = event.clientX;
    finger.y = event.clientY;
    if (this.fingers.size > 1) return;
    if (this.does === TURN) this.turn(-2 * Math.PI * right, 2 * Math.PI * down);
    if (this.does === SHIFT) this.shift(-right, down);
    if (this.does === ZOOM) this.zoom(NEARER ** (10 * down));
  }

  /* Two fingers: their middle moves the picture, the way between them its size. */
  pinch(event, finger, right, down) {
    for (const other of this.fingers.values()) {
      if (other === finger) continue;
      const before = Math.hypot(finger.x - other.x, finger.y - other.y);
      const now = Math.hypot(event.clientX - other.x, event.clientY - other.y);
      this.shift(-right / 2, down / 2);
      if (before > 0 && now > 0) this.zoom(now / before);
      return;
    }
  }

  up(event) {
    if (!this.fingers.delete(event.pointerId)) return;
    if (this.fingers.size === 0) this.onEnd();
  }

  wheel(event) {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 100 : 1;
    this.zoom(NEARER ** ((event.deltaY * lines) / 100));
    this.onEnd();
  }
}
