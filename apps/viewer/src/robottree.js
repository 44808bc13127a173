/* The links of a robot as a tree, and what stands around it: select, hide, colour. */
import { h } from './ui.js';

export class LinkTree {
  constructor(mode) {
    this.mode = mode;
    this.element = h('ul', { class: 'tree', id: 'links' });
    this.rows = new Map();
    this.chosen = [];
  }

  build() {
    const { world } = this.mode;
    const { links, joints } = world.record.robot;
    this.rows.clear();
    this.chosen = [];
    const children = links.map(() => []);
    joints.forEach((joint, i) => children[joint.parent].push(i + 1));
    const branch = (link) => h('li', {}, this.makeRow(links[link].name, links[link].body, link > 0 ? joints[link - 1] : null), children[link].length > 0 ? h('ul', {}, ...children[link].map(branch)) : null);
    const robots = new Set(links.map((link) => link.body));
    const others = world.record.bodies.map((body, i) => i).filter((i) => !robots.has(i));
    this.element.replaceChildren(branch(0), ...others.map((i) => h('li', {}, this.makeRow(world.nameOf(i), i, null))));
  }

  makeRow(name, body, joint) {
    const { world } = this.mode;
    const what = joint && joint.variable !== undefined ? h('small', {}, ` ${joint.name}`) : null;
    if (body === undefined) return h('div', { class: 'tree-row' }, h('span', { class: 'no-body' }, name), what);
    const eye = h('input', { type: 'checkbox', checked: true, title: 'shown', 'aria-label': `show ${name}`, onchange: () => { world.bodies[body].group.visible = eye.checked; this.mode.stage.invalidate(); } });
    const colour = h('input', { type: 'color', value: world.bodies[body].colour, title: 'colour', 'aria-label': `colour of ${name}`, oninput: () => { world.bodies[body].colour = colour.value; this.paint(body); } });
    const button = h('button', { class: 'link', 'aria-pressed': 'false', onclick: () => this.select(body) }, name);
    const row = h('div', { class: 'tree-row' }, eye, colour, button, what);
    this.rows.set(body, { row, button });
    return row;
  }

  paint(body) {
    const { world, app } = this.mode;
    world.paintBody(body, this.chosen.includes(body) ? app.theme.simplex : world.bodies[body].colour);
    this.mode.stage.invalidate();
  }

  /* What is selected is orange; selecting it again ends that. */
  select(...bodies) {
    const same = bodies.length === 1 && this.chosen.length === 1 && this.chosen[0] === bodies[0];
    const before = this.chosen;
    this.chosen = same ? [] : bodies;
    for (const body of new Set([...before, ...bodies])) {
      this.paint(body);
      const row = this.rows.get(body);
      row?.row.classList.toggle('chosen', this.chosen.includes(body));
      row?.button.setAttribute('aria-pressed', String(this.chosen.includes(body)));
    }
  }

  hover(body) { for (const [i, { row }] of this.rows) row.classList.toggle('over', i === body); }
}
