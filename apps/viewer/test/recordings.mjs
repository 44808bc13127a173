/* Recordings in the page: what is shown between the frames, and the timeline. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import assert from 'node:assert/strict';
import test from 'node:test';
import { native, nativeLines, open, quiet, settle, viewer, words, work } from './browser_kit.mjs';

const robots = join(dirname(fileURLToPath(import.meta.url)), '../../../examples/robot');
for (const file of ['arm.urdf', 'cell.json', 'move.csv']) copyFileSync(join(robots, file), join(work, file));

const pageOf = async (record, options) => {
  const { page: name } = native('view', record, '-o', `${record}.html`);
  return open(pathToFileURL(join(work, name)).href, options);
};

/* A moment of the replay: the joints, the number that is shown, and the poses that are drawn. */
const momentOf = (page, time) => page.evaluate((t) => {
  const { replay } = apartViewer.modes;
  replay.pause();
  replay.seek(t);
  return { q: [...replay.world.q], value: replay.value, shown: Number(document.getElementById('clearance').dataset.value), pair: [replay.pair.a, replay.pair.b].map((b) => replay.world.nameOf(b)),
    lower: replay.pair.lower, upper: replay.pair.upper, about: document.getElementById('clearance').dataset.about, dot: Number(document.querySelector('#chart .dot').getAttribute('cy')) };
}, time);

function assertClearance(moment, names, time) {
  const joints = names.map((name, v) => `${name}=${moment.q[v]}`).join(',');
  const [{ summary }] = nativeLines('clearance', 'arm.urdf', '--scene', 'cell.json', '--joints', joints).slice(-1);
  assert.ok(Math.abs(moment.value - summary.worst.distance) < 1e-13, `t = ${time}: ${moment.value} on the page, ${summary.worst.distance} by apart clearance --joints "${joints}"`);
  assert.equal(moment.shown, moment.value);
  assert.ok(moment.lower <= summary.upper && summary.lower <= moment.upper);
  assert.equal(moment.about, '', 'a robot is there: the number is not about');
}

test('a robot between its waypoints is where its joints are, and as near as the program says', async () => {
  words('clearance', 'arm.urdf', '--traj', 'move.csv', '--scene', 'cell.json', '--record', 'move.json');
  const page = await pageOf('move.json');
  const names = ['turn', 'lift', 'bend', 'wrist', 'grip'];
  const rows = readFileSync(join(work, 'move.csv'), 'utf8').trim().split('\n').slice(2).map((line) => line.split(',').map(Number));
  for (let i = 0; i < 24; i++) {
    const time = (4 * (i + 0.37)) / 24;
    const moment = await momentOf(page, time);
    const k = Math.floor(time);
    moment.q.forEach((q, v) => assert.ok(Math.abs(q - (rows[k][v + 1] + (time - k) * (rows[k + 1][v + 1] - rows[k][v + 1]))) < 1e-14));
    assertClearance(moment, names, time);
  }
  const worst = await momentOf(page, 1.5);
  assert.ok(Math.abs(worst.value - 0.0340312) < 1e-6 && worst.dot > 0 && worst.dot < 110, 'the moment that was wrong by a third');
  /* Whoever joins the poses gets another robot. */
  const off = await page.evaluate(() => {
    const { world } = apartViewer.modes.replay;
    const real = world.bodies.map(({ group }) => group.position.toArray());
    world.placeBetween(1, 2, 0.5);
    return Math.max(...world.bodies.map(({ group }, b) => Math.hypot(...group.position.toArray().map((x, k) => x - real[b][k]))));
  });
  assert.ok(off > 0.01, `links joined by lines are elsewhere, by ${off}`);
  quiet(page);
  await page.close();
});

test('waypoints with velocities are joined by the cubic pieces that the program certifies', async () => {
  const point = (time, positions, velocities) => ({ positions, velocities, time_from_start: { secs: time, nsecs: 0 } });
  writeFileSync(join(work, 'curved.json'), JSON.stringify({ joint_names: ['turn', 'lift', 'bend', 'wrist', 'grip'], points: [point(0, [-0.6, 0.7, 1.2, 0.9, 0.03], [0.5, 0.4, 0, 0.2, 0]), point(2, [0.3, 0.3, 1.2, 1.2, 0.03], [-0.8, 0, 0.3, 0, 0])] }));
  words('clearance', 'arm.urdf', '--traj', 'curved.json', '--scene', 'cell.json', '--record', 'curve.json');
  const page = await pageOf('curve.json');
  for (const time of [0.3, 0.9, 1.55]) {
    const moment = await momentOf(page, time);
    const s = time / 2;
    const [q0, q1, v0, v1] = [-0.6, 0.3, 1, -1.6];
    const turn = q0 + v0 * s + (3 * (q1 - q0) - 2 * v0 - v1) * s ** 2 + (v0 + v1 - 2 * (q1 - q0)) * s ** 3;
    assert.ok(Math.abs(moment.q[0] - turn) < 1e-14);
    assertClearance(moment, ['turn', 'lift', 'bend', 'wrist', 'grip'], time);
  }
  quiet(page);
  await page.close();
});

test('between the frames of a simulation nothing is asked: the recorded values are shown, grey', async () => {
  const page = await open(`${viewer}#preset=dominoes`);
  await page.waitForFunction(() => apartViewer.state.preset === 'dominoes');
  const found = await page.evaluate(() => {
    const { replay } = apartViewer.modes;
    replay.pause();
    const { c } = apartViewer.apart.m;
    let queries = 0;
    apartViewer.apart.m.c = { ...c, distance: (...list) => { queries += 1; return c.distance(...list); } };
    const moments = [];
    for (let i = 0; i < 60; i++) {
      const f = 3 + (i % (replay.t.length - 5));
      replay.seek(replay.t[f] + 0.4 * (replay.t[f + 1] - replay.t[f]));
      moments.push({ value: replay.value, between: [replay.first[f], replay.first[f + 1]].map((pair) => pair?.distance), dot: Number(document.querySelector('#chart .dot').getAttribute('cy')), about: document.getElementById('clearance').dataset.about, text: document.getElementById('clearance').textContent });
    }
    apartViewer.apart.m.c = c;
    return { queries, moments };
  });
  assert.equal(found.queries, 0);
  for (const { value, between, dot, about, text } of found.moments) {
    assert.ok(value >= Math.min(...between) - 1e-15 && value <= Math.max(...between) + 1e-15, `${value} of ${between}`);
    assert.ok(dot > 0 && dot < 104, 'the dot stays in the chart');
    assert.ok(about === 'yes' && text.startsWith('≈'));
  }
  quiet(page);
  await page.close();
});

test('the timeline loses no frame, finds violations, and links to a moment', async () => {
  const frames = Array.from({ length: 12000 }, (_, i) => ({ t: i / 100, poses: [null, i === 0 ? [3, 0, 0, 0, 0, 0, 1] : null], pairs: [{ a: 0, b: 1, distance: i === 7777 ? -0.3 : 1.5, point_a: [1, 0, 0], point_b: [2.5, 0, 0] }] }));
  writeFileSync(join(work, 'dip.json'), JSON.stringify({ apart_recording: 1, kind: 'scene', title: 'one frame of 12 000', units: { time: 's' }, limit: 0.1, shapes: [{ shape: 'sphere:1' }, { shape: 'sphere:0.5' }], bodies: [{ name: 'a', parts: [{ shape: 0 }] }, { name: 'b', parts: [{ shape: 1 }] }], frames }));
  const page = await pageOf('dip.json');
  const drawn = await page.evaluate(() => {
    const numbers = document.querySelector('#chart .line').getAttribute('d').slice(1).split('L').map((word) => word.split(' ').map(Number));
    return { points: numbers.length, lowest: Math.max(...numbers.map(([, y]) => y)), ring: Number(document.querySelector('#chart .lowest').getAttribute('cy')), zones: document.querySelectorAll('#chart .breach').length };
  });
  assert.ok(Math.abs(drawn.lowest - drawn.ring) < 0.1, `the line goes down to the ring: ${drawn.lowest}, ${drawn.ring}`);
  assert.ok(drawn.points < 6000 && drawn.zones === 1);
  for (const button of ['#next-violation', '#worst']) {
    await page.click('#frame-first');
    await page.click(button);
    assert.equal(await page.locator('#frame-count').textContent(), 'frame 7778 of 12000');
    assert.equal(await page.locator('#clearance').getAttribute('data-value'), '-0.3');
  }
  await page.click('#frame-back');
  await page.click('#frame-on');
  await page.click('#frame-on');
  assert.equal(await page.locator('#frame-count').textContent(), 'frame 7779 of 12000');
  await page.evaluate(() => apartViewer.modes.replay.seek(33.3333));
  await page.waitForTimeout(400);
  const again = await open(await page.evaluate(() => { apartViewer.writeState(); return location.href; }));
  assert.equal(await again.evaluate(() => apartViewer.modes.replay.time), 33.3333, 'to the moment, not to a frame');
  await again.close();
  await page.check('#loop');
  await page.evaluate(() => { const { replay } = apartViewer.modes; replay.seek(119.9); replay.play(); replay.tick(0.5); });
  assert.ok(await page.evaluate(() => { const { replay } = apartViewer.modes; replay.pause(); return replay.time < 10; }), 'from the end to the start');
  quiet(page);
  await page.close();
});

test('the curve between waypoints is computed, several pairs are lines, and what is certified lies below them', async () => {
  words('clearance', 'arm.urdf', '--traj', 'move.csv', '--scene', 'cell.json', '--record', 'limit.json', '--limit', '0.005');
  const page = await pageOf('limit.json');
  await page.waitForFunction(() => apartViewer.modes.replay.curve.complete, null, { timeout: 30000 });
  const found = await page.evaluate(() => {
    const { replay } = apartViewer.modes;
    const { t, least } = replay.curve;
    const below = replay.motion.bands.every(({ from, to, lower }) => t.every((time, i) => time < from || time > to || least[i] >= lower - 1e-12));
    return { others: document.querySelectorAll('#chart .other').length, bands: document.querySelectorAll('#chart .certified').length, below, key: document.getElementById('timeline-key').textContent, moments: t.length };
  });
  assert.ok(found.others === 5 && found.bands === 4 && found.below && found.moments > 500);
  assert.match(found.key, /hand – lamp.*certified/);
  const [{ summary }] = nativeLines('clearance', 'arm.urdf', '--traj', 'move.csv', '--scene', 'cell.json').slice(-1);
  await page.click('#worst');
  const value = Number(await page.locator('#clearance').getAttribute('data-value'));
  assert.ok(value >= summary.lower && value - summary.upper < 1e-4, `${value} at the worst moment, ${summary.lower} to ${summary.upper}`);
  quiet(page);
  await page.close();
});

test('colours, words and poses of recordings are as they are', async () => {
  words('clearance', 'arm.urdf', '--scene', 'cell.json', '--traj', 'move.csv', '--record', 'legend.json');
  const page = await pageOf('legend.json');
  const legend = await page.evaluate(() => [...document.querySelectorAll('#replay-panel .legend:last-of-type li')].map((li) => [li.textContent, li.querySelector('i').style.background]).filter(([name]) => name === 'obstacle'));
  assert.ok(legend.length === 1 && !/154, 160, 166/.test(legend[0][1]), `the obstacles' colour, not that of the desk: ${legend}`);
  const late = { apart_recording: 1, kind: 'simulation', units: { time: 's' }, shapes: [{ mesh: true, vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0]], faces: [[0, 1, 2]] }], bodies: [{ name: 'a', parts: [{ shape: 0 }] }, { name: 'b', parts: [{ shape: 0 }] }], frames: [0, 0.1, 0.2].map((t) => ({ t, poses: [null, [0, 0, 2, 0, 0, 0, 1]], pairs: t < 0.15 ? [] : [{ a: 0, b: 1, distance: 2 }] })) };
  await page.evaluate((text) => apartViewer.openFile(new File([text], 'late.json')), JSON.stringify(late));
  await settle(page);
  assert.match(await page.locator('#nearest').textContent(), /nothing was measured yet: the first recorded pair is at 0\.200 s/);
  quiet(page);
  await page.close();
  /* What stands still is written once: no dust of rounding. */
  const plan = words('plan', '--record', '-');
  const still = JSON.parse(plan);
  const name = (i) => still.bodies[i].name;
  const moved = still.bodies.map((_, i) => still.frames.filter(({ poses }) => poses[i] !== null).length);
  assert.ok(moved.every((n, i) => n <= 1 || n > 100), `bodies tremble: ${moved.map((n, i) => `${name(i)} ${n}`).join(', ')}`);
});
