/* A robot's links in the hand: what is under the pointer, and joints that follow a point that is dragged (inverse kinematics). */
import * as THREE from 'three';

const STEPS = 12; /* of the solver at a movement of the pointer */
const DAMPING = 0.03; /* of the reach: how unwilling joints are near singular positions */
const MOST = 0.2; /* radians, or of the reach, that a joint moves in a step */

/* Solves a symmetric 3 x 3 system by Cramer's rule; a is its upper half. */
function solve3([a, b, c, d, e, f], [x, y, z]) {
  const p = d * f - e * e;
  const q = c * e - b * f;
  const r = b * e - c * d;
  const det = a * p + b * q + c * r;
  return [(p * x + q * y + r * z) / det, (q * x + (a * f - c * c) * y + (b * c - a * e) * z) / det, (r * x + (b * c - a * e) * y + (a * d - b * b) * z) / det];
}

/* Moves the joints so that a point of a link comes to a target: damped least squares, within the limits. local: in the link's frame. */
export function reachFor(cell, q, link, local, target) {
  const damping = (DAMPING * cell.reach) ** 2;
  let miss = Infinity;
  for (let step = 0; step < STEPS; step++) {
    cell.set(q);
    const m = cell.linkPose(link);
    const point = [0, 1, 2].map((k) => m[4 * k] * local[0] + m[4 * k + 1] * local[1] + m[4 * k + 2] * local[2] + m[4 * k + 3]);
    const way = target.map((x, k) => x - point[k]);
    miss = Math.hypot(...way);
    if (miss < 1e-7 * cell.reach) break;
    const J = cell.jacobian(link, point);
    const free = cell.variables.map(({ lower, upper }, v) => {
      const pull = J[3 * v] * way[0] + J[3 * v + 1] * way[1] + J[3 * v + 2] * way[2];
      return !((q[v] <= lower && pull < 0) || (q[v] >= upper && pull > 0));
    });
    const A = [damping, 0, 0, damping, 0, damping];
    for (let v = 0; v < cell.count; v++) {
      if (!free[v]) continue;
      const [x, y, z] = [J[3 * v], J[3 * v + 1], J[3 * v + 2]];
      [x * x, x * y, x * z, y * y, y * z, z * z].forEach((value, i) => { A[i] += value; });
    }
    const f = solve3(A, way);
    for (let v = 0; v < cell.count; v++) {
      if (!free[v]) continue;
      const { lower, upper, kind } = cell.variables[v];
      const most = kind === 'sliding' ? MOST * cell.reach : MOST;
      const by = J[3 * v] * f[0] + J[3 * v + 1] * f[1] + J[3 * v + 2] * f[2];
      q[v] = Math.min(upper, Math.max(lower, q[v] + Math.min(most, Math.max(-most, by))));
    }
  }
  return miss;
}

export class Hand {
  /* onHover(body or -1, event), onPick(body), onMove(link, local, target), onDone() */
  constructor(pane, calls) {
    this.pane = pane;
    this.calls = calls;
    this.world = null;
    this.enabled = false;
    this.held = -1;
    this.over = -1;
    this.ray = new THREE.Ray();
    this.hit = new THREE.Vector3();
    this.at = new THREE.Vector3();
    this.plane = new THREE.Plane();
    const { element } = pane;
    element.addEventListener('pointerdown', (event) => this.down(event), { capture: true });
    element.addEventListener('pointermove', (event) => this.move(event), { capture: true });
    for (const name of ['pointerup', 'pointercancel']) element.addEventListener(name, (event) => this.up(event), { capture: true });
    element.addEventListener('pointerleave', () => this.hover(-1, null));
  }

  aim(event) {
    const { camera, box } = this.pane;
    this.ray.origin.copy(camera.position);
    this.ray.direction.set((event.offsetX / box.width) * 2 - 1, 1 - (event.offsetY / box.height) * 2, 0.5).unproject(camera).sub(camera.position).normalize();
  }

  /* The visible body under the pointer, -1 if none; hit is where. */
  find(event) {
    this.aim(event);
    let nearest = Infinity;
    let found = -1;
    this.world.bodies.forEach(({ group, solids, ground }, i) => {
      if (!group.visible || ground) return;
      for (const solid of solids) {
        const far = solid.mesh.meet(this.ray, this.at);
        if (far >= nearest) continue;
        nearest = far;
        found = i;
        this.hit.copy(this.at);
      }
    });
    return found;
  }

  hover(body, event) {
    if (body === this.over && body < 0) return;
    this.over = body;
    this.calls.onHover(body, event);
  }

  down(event) {
    if (!this.enabled || this.held >= 0 || event.button !== 0) return;
    const body = this.find(event);
    if (body < 0) return;
    const link = this.world.record.robot.links.findIndex((l) => l.body === body);
    this.calls.onPick(body);
    if (link < 0) return;
    event.stopImmediatePropagation();
    event.preventDefault();
    this.pane.element.setPointerCapture(event.pointerId);
    this.held = link;
    this.pointer = event.pointerId;
    this.plane.setFromNormalAndCoplanarPoint(this.pane.camera.getWorldDirection(new THREE.Vector3()), this.hit);
    const at = this.inWorld(this.hit);
    const m = this.world.cell.linkPose(link);
    const d = [0, 1, 2].map((k) => at[k] - m[4 * k + 3]);
    this.local = [0, 1, 2].map((k) => m[k] * d[0] + m[4 + k] * d[1] + m[8 + k] * d[2]);
  }

  /* From the screen's axes into those of the recording. */
  inWorld(point) { return this.at.copy(point).applyMatrix4(this.world.root.world.clone().invert()).toArray(); }

  move(event) {
    if (!this.enabled) return;
    if (this.held < 0) {
      if (event.pointerType === 'mouse' && event.buttons === 0) this.hover(this.find(event), event);
      return;
    }
    if (event.pointerId !== this.pointer) return;
    event.stopImmediatePropagation();
    this.aim(event);
    if (this.ray.intersectPlane(this.plane, this.hit) === null) return;
    this.calls.onMove(this.held, this.local, this.inWorld(this.hit));
  }

  up(event) {
    if (this.held < 0 || event.pointerId !== this.pointer) return;
    event.stopImmediatePropagation();
    this.held = -1;
    this.calls.onDone();
  }
}
