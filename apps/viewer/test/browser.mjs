/* The viewer in a real browser, beside the native program.
 * usage: node browser.mjs VIEWER_HTML APART CHROMIUM WORK_DIR */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { chromium } from 'playwright-core';

const [html, program, executablePath, work] = process.argv.slice(2).map((path) => resolve(path));
const viewer = pathToFileURL(html).href;
const flags = ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];
mkdirSync(work, { recursive: true });

let browser;
let desk; /* one page for most tests; starting one takes longer than most of them */
before(async () => {
  browser = await chromium.launch({ executablePath, args: flags });
  desk = await open(viewer);
});
after(() => browser?.close());

const native = (...words) => JSON.parse(execFileSync(program, [...words, '--json'], { cwd: work, encoding: 'utf8' }));

/* A page that is ready, or has said what is wrong; everything on its console counts. */
async function open(address, options = {}) {
  const page = await browser.newPage({ viewport: { width: 840, height: 400 }, ...options });
  page.complaints = [];
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && page.complaints.push(message.text()));
  page.on('pageerror', (error) => page.complaints.push(String(error)));
  await page.goto(address);
  await page.waitForSelector('body[data-ready]', { timeout: 30000 });
  return page;
}

const quiet = (page) => assert.deepEqual(page.complaints.filter((text) => !/GPU stall due to ReadPixels/.test(text)), []);
const settle = (page) => page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => setTimeout(done, 130)); }));

/* Another address of the page that is open. */
async function go(page, hash) {
  await page.evaluate((to) => { apartViewer.clearProblem(); location.hash = ''; location.hash = to; }, hash);
  await settle(page);
}

/* Nothing moves by itself any more. */
const still = (page) => page.evaluate(() => { apartViewer.modes.replay.pause(); apartViewer.state.play = false; });

/* The answer on the page, and the words of the same query; hulls are written where the words look for them. */
async function asked(page) {
  const { words, files, answer } = await page.evaluate(() => {
    const { explore } = apartViewer.modes;
    const r = explore.answer;
    const files = [0, 1].filter((i) => apartViewer.view.bodies[i].points).map((i) => [explore.fileName(i), Array.from(apartViewer.view.bodies[i].points)]);
    return { words: explore.command(), files, answer: r && { distance: r.distance, lower: r.lower, upper: r.upper, a: [...r.a], b: [...r.b], normal: [...r.normal], iterations: r.iterations, relation: r.relation } };
  });
  for (const [name, xyz] of files) {
    const lines = Array.from({ length: xyz.length / 3 }, (_, i) => xyz.slice(3 * i, 3 * i + 3).join(' '));
    writeFileSync(join(work, name), `${lines.join('\n')}\n`);
  }
  return { words, answer };
}

async function assertNative(page) {
  const { words, answer } = await asked(page);
  const expected = native(...words);
  const plain = (list) => list.map((x) => x + 0); /* which zero it is does not count */
  const flat = (list) => (expected.dim === 2 ? list.slice(0, 2) : list);
  for (const key of ['distance', 'lower', 'upper', 'iterations', 'relation']) assert.equal(answer[key], expected[key], `${key} of apart ${words.join(' ')}`);
  assert.deepEqual(plain(flat(answer.a)), plain(expected.a.point));
  assert.deepEqual(plain(flat(answer.b)), plain(expected.b.point));
  assert.deepEqual(plain(flat(answer.normal)), plain(expected.normal));
  return answer.distance;
}

/* Where body i is on the screen. */
const place = (page, i) => page.evaluate((body) => {
  const { view } = apartViewer;
  const box = view.world.element.getBoundingClientRect();
  const at = view.world.project(view.label[body === 0 ? 'a' : 'b'].at, view.stage.spot.clone());
  return [box.left + at.x, box.top + at.y];
}, i);

async function drag(page, i, by, key) {
  const [x, y] = await place(page, i);
  if (key) await page.keyboard.down(key);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + by[0] / 2, y + by[1] / 2, { steps: 2 });
  await page.mouse.move(x + by[0], y + by[1], { steps: 2 });
  await page.mouse.up();
  if (key) await page.keyboard.up(key);
  await settle(page);
}

test('the page opens, and tells every story without a complaint', async () => {
  const page = desk;
  const stories = await page.locator('#presets option').evaluateAll((list) => list.map((option) => option.value).filter(Boolean));
  assert.ok(stories.length >= 8);
  for (const story of stories) {
    await page.selectOption('#presets', story);
    await page.waitForFunction((id) => apartViewer.state.preset === id, story);
    await still(page);
    await settle(page);
    assert.equal(await page.evaluate(() => apartViewer.state.preset), story);
    assert.ok((await page.locator('.panel:not([hidden]) .story p').first().textContent()).length > 40);
  }
  assert.equal(await page.locator('#problem').isVisible(), false);
  quiet(page);
});

test('dragging and turning change the distance, which is the native one bit for bit', async () => {
  const page = desk;
  await go(page, '#preset=first');
  const seen = new Set([await assertNative(page)]);
  await drag(page, 1, [40, 25]);
  seen.add(await assertNative(page));
  await drag(page, 0, [60, -30], 'Shift');
  seen.add(await assertNative(page));
  await drag(page, 1, [-150, 0]);
  const deep = await assertNative(page);
  assert.ok(deep < 0, 'they overlap now');
  seen.add(deep);
  await page.keyboard.press('b');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Shift+ArrowLeft');
  await settle(page);
  seen.add(await assertNative(page));
  assert.equal(seen.size, 5);
  assert.equal(Number(await page.locator('#distance').getAttribute('data-value')), [...seen].at(-1));
  await page.click('#flat');
  await settle(page);
  await assertNative(page);
  await drag(page, 1, [-70, 20]);
  await assertNative(page);
  for (const [kind, body] of [['cylinder', 'a'], ['cone', 'b'], ['capsule', 'a'], ['ellipsoid', 'b'], ['sphere', 'a']]) {
    if (kind === 'cylinder') await page.click('#flat');
    await page.selectOption(`#body-${body} select`, kind);
    await settle(page);
    await assertNative(page);
  }
  quiet(page);
});

test('a frame of Explore is one query, and the simplex on the screen is that of its answer', async () => {
  const page = desk;
  /* The weighted mean of the points on the screen is v of the cores, and the farthest plane against it holds them all. */
  const drawn = () => page.evaluate(() => {
    const { m } = apartViewer.apart;
    const { c } = m;
    let queries = 0;
    m.c = { ...c, distance: (...words) => { queries += 1; return c.distance(...words); } };
    apartViewer.moved(1, false, true);
    m.c = c;
    const { view } = apartViewer;
    const { answer: r } = apartViewer.modes.explore;
    const radius = view.bodies[0].shape.radius + view.bodies[1].shape.radius;
    const spots = view.points.source.position;
    const at = (i, k) => spots[3 * i + k];
    const mean = [0, 1, 2].map((k) => Array.from({ length: r.count }, (_, i) => r.lambda[i] * at(i, k)).reduce((p, q) => p + q, 0));
    const v = [0, 1, 2].map((k) => r.b[k] - r.a[k] + radius * r.normal[k]);
    const along = Array.from({ length: r.count }, (_, i) => [0, 1, 2].reduce((sum, k) => sum + r.normal[k] * at(i, k), 0) - (r.distance + radius));
    return { queries, count: r.count, shown: view.points.visible, off: Math.max(...mean.map((x, k) => Math.abs(x - v[k])), ...along.map(Math.abs)), scale: view.scale, distance: r.distance };
  });
  const counts = new Set();
  for (const [a, b] of [['box:1,0.6,0.8', 'box:0.5,0.9,0.4'], ['random:28,11', 'box:0.55,0.8,0.4'], ['random:40,3+0.1', 'capsule:0.3,0.8'], ['cylinder:0.6,0.8', 'random:20,5'], ['box:1,1,0.5+0.2', 'cone:0.7,0.7'],
    ['sphere:0.7', 'triangle:0,0,0,1,0,0,0,1,0.5'], ['ellipsoid:0.6,0.6,0.6', 'ellipsoid:1,0.5,0.3'], ['halfspace:0,0,1,-1', 'box:0.5,0.6,0.7'], ['rectangle:1,0.5', 'polygon:0,0,1,0,1.2,0.8,0.3,1'], ['circle:0.6', 'rectangle:0.4,0.9']]) {
    for (const pose of ['2.2,0.5,0,0,0,0.3,1', '0.4,0.2,0,0,0,0.3,1', ...(/^(rect|circ)/.test(a) ? [] : ['0.3,0.2,0.5,0.4,0.2,0.3,1', '-0.9,2.1,0.7,0.4,-0.2,0.3,1', '0,0,2.2,0,0,0,1'])]) {
      await go(page, `#a=${encodeURIComponent(a)}&b=${encodeURIComponent(b)}&pb=${pose}`);
      const { queries, count, shown, off, scale, distance } = await drawn();
      assert.equal(queries, 1);
      assert.ok(shown && off < 1e-6 * scale, `${a} and ${b} at ${pose}, distance ${distance}: off by ${off}`); /* the screen has floats */
      counts.add(count);
    }
  }
  assert.ok([1, 2, 3].every((n) => counts.has(n)), 'points, edges and triangles');
  quiet(page);
});

test('the camera in the hand: a drag looks around, the right button moves along, wheel and two fingers go nearer', async () => {
  const page = await open(`${viewer}#preset=first`, { hasTouch: true });
  const look = () => page.evaluate(() => ({ way: apartViewer.stage.direction().toArray(), at: apartViewer.stage.look(), ways: apartViewer.stage.panes.map(({ camera, controls }) => camera.position.clone().sub(controls.target).normalize().toArray()) }));
  const near = (p, q) => p.every((x, i) => Math.abs(x - q[i]) < 1e-9);
  const box = await page.locator('#pane-world').boundingBox();
  const [x, y] = [box.x + 20, box.y + 60]; /* beside the bodies */
  const pull = async (button) => {
    await page.mouse.move(x, y);
    await page.mouse.down({ button });
    await page.mouse.move(x + 40, y + 10, { steps: 3 });
    await page.mouse.up({ button });
    return look();
  };
  const start = await look();
  const turned = await pull('left');
  const angle = (2 * Math.PI * 40) / box.height;
  const around = Math.atan2(start.way[1], start.way[0]) - Math.atan2(turned.way[1], turned.way[0]);
  assert.ok(Math.abs(around - angle) < 1e-9 && turned.way[2] > start.way[2], 'a whole turn for the height of the pane');
  assert.ok(near(turned.ways[0], turned.ways[1]) && near(turned.at, start.at), 'both panes, around the same place');
  const moved = await pull('right');
  assert.ok(near(moved.way, turned.way) && !near(moved.at.slice(0, 3), turned.at.slice(0, 3)) && near(moved.at.slice(3), turned.at.slice(3)));
  await page.mouse.wheel(0, -100);
  await settle(page);
  const nearer = await look();
  assert.ok(Math.abs(nearer.at[3] / moved.at[3] - 0.95 ** 0.8) < 1e-9);
  const client = await page.context().newCDPSession(page);
  const touch = (type, ...points) => client.send('Input.dispatchTouchEvent', { type, touchPoints: points.map((dy, id) => ({ x, y: y + dy, id })) });
  await touch('touchStart', 0);
  await touch('touchStart', 0, 40);
  await touch('touchMove', 0, 80);
  await touch('touchEnd');
  await settle(page);
  assert.ok(Math.abs((await look()).at[3] / nearer.at[3] - 0.5) < 1e-9, 'twice as near');
  quiet(page);
  await page.close();
});

test('touch drags, and a file becomes a body', async () => {
  const page = await open(viewer, { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 });
  const first = await assertNative(page);
  const [x, y] = await place(page, 1);
  const client = await page.context().newCDPSession(page);
  const touch = (type, dx, dy) => client.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x: x + dx, y: y + dy }] });
  await touch('touchStart', 0, 0);
  await touch('touchMove', 15, 8);
  await touch('touchMove', 30, 16);
  await touch('touchEnd');
  await settle(page);
  assert.notEqual(await assertNative(page), first);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.equal(wide, 0, 'nothing sticks out of a narrow screen');
  const cube = 'v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nf 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n';
  await page.evaluate((text) => apartViewer.openFile(new File([text], 'cube.obj'), 0), cube);
  await settle(page);
  assert.match(await page.evaluate(() => apartViewer.state.a), /^hull:/);
  assert.ok(await page.evaluate(() => apartViewer.state.preset === null && apartViewer.modes.explore.answer.distance > 0), 'its own story, and beside the other');
  await assertNative(page);
  quiet(page);
  await page.close();
});

test('stepping walks the whole trace, forward and back, with every solver', async () => {
  const page = desk;
  await go(page, '#preset=steps');
  const { words } = await asked(page);
  for (const solver of ['default', 'johnson', 'volumes']) {
    await page.selectOption('#solver', solver);
    native(...words.filter((word, i) => word !== '--solver' && words[i - 1] !== '--solver'), '--solver', solver, '--trace', 'steps.json');
    const expected = JSON.parse(readFileSync(join(work, 'steps.json'), 'utf8')).steps;
    const sentences = [];
    for (let k = 0; k < expected.length; k++) {
      assert.equal(await page.locator('#step-count').textContent(), `step ${k + 1} of ${expected.length}`);
      const shown = await page.evaluate(() => { const { step } = apartViewer.modes; const s = step.trace.steps[apartViewer.state.step]; return { v: s.v, lower: s.lower, upper: s.upper, count: s.simplex.length }; });
      assert.deepEqual(shown.v.map((x) => x + 0), expected[k].v.map((x) => x + 0));
      assert.equal(shown.upper, expected[k].upper);
      assert.equal(shown.count, expected[k].simplex.length);
      assert.equal(await page.locator('table.simplex tr').count(), expected[k].simplex.length + 2);
      sentences.push(await page.locator('#sentence').textContent());
      await page.keyboard.press('ArrowRight');
    }
    assert.equal(new Set(sentences).size, expected.length);
    assert.match(sentences.at(-1), /this is the answer/);
    await page.click('#previous');
    assert.equal(await page.locator('#step-count').textContent(), `step ${expected.length - 1} of ${expected.length}`);
    await page.click('#first');
  }
  assert.equal(await page.locator('#compare tr').count(), 7);
  quiet(page);
});

test('a depth search shows its surface growing, in space and in the plane', async () => {
  for (const address of ['#preset=growing', '#m=step&a=circle:1&b=rectangle:1,0.5&pa=0,0,0,0,0,0,1&pb=0.5,0.2,0,0,0,0,1']) {
    const page = desk;
    await go(page, address);
    const sizes = await page.evaluate(() => apartViewer.modes.step.trace.steps.map((s) => s.surface.length));
    const growing = sizes.filter((n) => n > 0);
    assert.ok(growing.length >= 2 && growing.every((n, i) => i === 0 || n >= growing[i - 1]) && growing.at(-1) > growing[0]);
    await page.keyboard.press('End');
    assert.match(await page.locator('#sentence').textContent(), /the depth is at least .* this is the answer/);
    assert.ok(await page.evaluate(() => apartViewer.view.surface.visible));
    quiet(page);
  }
});

test('where plain solvers leave the bounds open, the table says so', async () => {
  const page = desk;
  await go(page, '#preset=parallel');
  const wide = await page.locator('#compare td.wide').count();
  assert.ok(wide >= 1 && wide < 6);
  const distances = await page.locator('#compare td:nth-child(3)').evaluateAll((cells) => cells.map((cell) => Number(cell.title)));
  assert.ok(distances.every((d) => Math.abs(d - distances[0]) < 1e-12));
});

test('tracking climbs no edge or one', async () => {
  await go(desk, '#preset=tracking');
  await still(desk);
  const climbed = await desk.evaluate(() => {
    const { state, view } = apartViewer;
    return Array.from({ length: 400 }, (_, i) => {
      const u = i / 4000;
      const between = (key) => state.poseB[key].map((x, k) => (1 - u) * x + u * state.to[key][k]);
      view.pair.poseB(...between('p'), ...between('q'));
      view.pair.track();
      return view.pair.counts.edgesClimbed;
    }).slice(1);
  });
  assert.ok(climbed.filter((n) => n <= 1).length > 0.9 * climbed.length, `${climbed.filter((n) => n > 1).length} of ${climbed.length} above 1`);
});

test('a recording plays to its end, from a page on disk', async () => {
  execFileSync(program, ['toi', 'capsule:0.2,1.2', 'box:0.8,0.8,0.3', '--pose-a', 'xyz=-3.2,0,0.4', '--velocity-a', 'linear=5.5,0,0.6 angular=0,9,0', '--record', 'motion.json'], { cwd: work });
  const { page: name, bytes } = native('view', 'motion.json');
  assert.equal(name, 'motion.html');
  assert.ok(bytes === statSync(join(work, name)).size && bytes < 3e6);
  const record = JSON.parse(readFileSync(join(work, 'motion.json'), 'utf8'));
  const page = await open(pathToFileURL(join(work, name)).href);
  assert.equal(await page.evaluate(() => document.body.dataset.mode), 'replay');
  assert.equal(await page.locator('#recording-title').textContent(), record.title);
  await page.selectOption('#speed', '10');
  await page.click('#play');
  await page.waitForFunction(() => apartViewer.modes.replay.time === apartViewer.modes.replay.t1 && !apartViewer.modes.replay.playing, null, { timeout: 20000 });
  assert.equal(Number(await page.locator('#clearance').getAttribute('data-value')), record.frames.at(-1).pairs[0].distance);
  assert.equal(await page.locator('#frame-label').textContent(), 'contact');
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.evaluate(() => apartViewer.state.frame), 1);
  assert.equal(Number(await page.locator('#clearance').getAttribute('data-value')), record.frames[1].pairs[0].distance);
  await page.waitForTimeout(300);
  const again = await open(await page.evaluate(() => location.href));
  assert.equal(await again.locator('#problem').isVisible(), false);
  assert.deepEqual(await again.evaluate(() => [apartViewer.state.mode, apartViewer.state.frame, apartViewer.modes.replay.record.title]), ['replay', 1, record.title], 'a link to it restores it');
  quiet(again);
  await again.close();
  for (const camera of ['front', 'top']) await page.click(`[data-camera=${camera}]`);
  await page.check('#follow');
  await settle(page);
  quiet(page);
  await page.close();
});

test('the nearest pair is asked of the library on frames where none was recorded', async () => {
  const page = desk;
  await go(page, '#preset=cuboids');
  await page.waitForFunction(() => apartViewer.state.preset === 'cuboids');
  await still(page);
  const shown = await page.evaluate(() => {
    const { replay } = apartViewer.modes;
    const { frames, bodies, shapes } = replay.record;
    const open = frames.findIndex((frame) => !(frame.pairs?.length > 0));
    replay.seek(replay.t[open]);
    const pose = ({ position: p, quaternion: q }) => `xyz=${p.toArray().join()} quat_xyzw=${q.toArray().join()}`;
    return { recorded: frames.filter((frame) => frame.pairs?.length > 0).length, about: replay.about, value: replay.value, drawn: replay.gap.visible,
      words: [0, 1].map((i) => shapes[bodies[i].parts[0].shape].shape), poses: [0, 1].map((i) => pose(replay.world.bodies[i].group)) };
  });
  assert.ok(shown.recorded < 121 && !shown.about && shown.drawn);
  const expected = native('distance', ...shown.words, '--pose-a', shown.poses[0], '--pose-b', shown.poses[1]).distance;
  assert.ok(Math.abs(expected - shown.value) < 1e-9, `${expected} natively, ${shown.value} on the page`);
  assert.equal(Number(await page.locator('#clearance').getAttribute('data-value')), shown.value);
  assert.match(await page.locator('#chart-title').textContent(), /clearance of the nearest pair in m · minimum [0-9.]+ m, at [0-9.]+ s/);
  await go(page, '#m=replay&preset=impact&f=27');
  assert.equal(await page.locator('#clock').textContent(), (await page.evaluate(() => apartViewer.modes.replay.t[27])).toFixed(3), 'a fifth of a second needs its milliseconds');
  quiet(page);
});

test('bounds have all their digits; a half-space has a difference; steps change to the plane', async () => {
  const page = desk;
  await go(page, '#preset=first');
  const { answer } = await asked(page);
  const digits = await page.locator('#bounds dd').evaluateAll((list) => list.slice(0, 2).map((dd) => Number(dd.textContent.replace('−', '-'))));
  assert.deepEqual(digits, [answer.lower, answer.upper]);
  await go(page, '#a=halfspace:0,0,1,0&b=cylinder:0.6,0.7&pb=0,0,1.3,0,0,0,1');
  await assertNative(page);
  assert.deepEqual(await page.evaluate(() => { const { half } = apartViewer.view; return [half.visible, half.position.z]; }), [true, 1.3 - 0.7]);
  await page.keyboard.press('2');
  await page.click('#step-flat');
  await settle(page);
  assert.deepEqual(await page.evaluate(() => [apartViewer.state.mode, apartViewer.view.flat]), ['step', true]);
  quiet(page);
});

/* What the difference is made of: sides without their partner, the share of its size by which the worst corner stands out of a face, and the
 * volume beside that of the exact hull of all differences of corners, at these rotations of B. */
const shapeOfDifference = ([a, b, quaternions]) => {
  const app = apartViewer;
  const { view } = app;
  const turned = ([x, y, z, w], v, i) => {
    const [px, py, pz] = [v[i], v[i + 1], v[i + 2]];
    const [tx, ty, tz] = [2 * (y * pz - z * py), 2 * (z * px - x * pz), 2 * (x * py - y * px)];
    return [px + w * tx + y * tz - z * ty, py + w * ty + z * tx - x * tz, pz + w * tz + x * ty - y * tx];
  };
  app.setBodies([a, b]);
  const found = { open: 0, out: 0, volume: 0, lines: [] };
  for (const list of quaternions) {
    const length = Math.hypot(...list);
    const q = list.map((x) => x / length);
    view.poses[1].q.set(q);
    view.poses[1].m = null;
    view.setPose(1, view.poses[1], true);
    const { sums: { shape: sum }, shells: { shape: shell } } = view.difference;
    const { xyz, faceStart, faceVertex, faceCount, vertexCount } = sum;
    const sides = new Set();
    let volume = 0;
    let size = 0;
    for (let i = 0; i < 3 * vertexCount; i++) size = Math.max(size, Math.abs(xyz[i]));
    for (let f = 0; f < faceCount; f++) {
      const corners = Array.from(faceVertex.subarray(faceStart[f], faceStart[f + 1]));
      const at = corners.map((v) => xyz.subarray(3 * v, 3 * v + 3));
      corners.forEach((v, i) => sides.add(`${v} ${corners[(i + 1) % corners.length]}`));
      for (let i = 1; i + 1 < at.length; i++) volume += at[0].reduce((total, x, k) => total + x * (at[i][(k + 1) % 3] * at[i + 1][(k + 2) % 3] - at[i][(k + 2) % 3] * at[i + 1][(k + 1) % 3]), 0) / 6;
      const n = shell.faceUnit.subarray(3 * f, 3 * f + 3);
      for (let v = 0; v < 3 * vertexCount; v += 3) found.out = Math.max(found.out, (n[0] * (xyz[v] - at[0][0]) + n[1] * (xyz[v + 1] - at[0][1]) + n[2] * (xyz[v + 2] - at[0][2])) / size);
    }
    found.open += faceStart[faceCount] - sides.size;
    for (const side of sides) if (!sides.has(side.split(' ').reverse().join(' '))) found.open += 1;
    found.lines.push(shell.lines);
    const [listA, listB] = [sum.p.xyz, sum.q.xyz]; /* of A with the sign changed */
    const points = [];
    for (let i = 0; i < listA.length; i += 3) for (let j = 0; j < listB.length; j += 3) points.push(...turned(q, listB, j).map((x, k) => x + listA[i + k]));
    const hull = app.apart.hullOfPoints(points);
    found.volume = Math.max(found.volume, Math.abs(volume - (hull.dimension === 3 ? hull.volume : 0)) / size ** 3);
    hull.free();
  }
  return found;
};

test('the difference is closed, convex and as large as the hull of all differences, also of parallel faces and edges', async () => {
  await go(desk, '#a=box:1,1,1&b=box:1,1,1&pb=5,0,0,0,0,0,1');
  const h = Math.SQRT1_2;
  const aligned = [[0, 0, 0, 1], [h, 0, 0, h], [0.5, 0.5, 0.5, 0.5], [1, 0, 0, 0], [0, 0, Math.sin(Math.PI / 8), Math.cos(Math.PI / 8)]];
  const nearly = [[0, 0, 1e-9, 1], [0, 1e-6, 0, 1], [1e-4, 0, 0, 1]];
  const any = [[0.2, 0.3, 0.1, 0.9], [-0.5, 0.1, 0.7, 0.2]];
  for (const [a, b] of [['random:40,3', 'random:40,5'], ['random:12,3', 'random:12,3'], ['box:1,0.6,0.8', 'box:0.5,0.9,0.4'], ['box:1,1,1', 'box:1,1,1'], ['cylinder:0.4,0.7', 'cylinder:0.4,0.7'], ['cylinder:0.4,0.7', 'cone:0.7,0.7'],
    ['cone:0.6,0.5', 'box:0.5,0.5,0.5'], ['sphere:0.7', 'triangle:0,0,0,1,0,0,0,1,0.5'], ['box:1,1,0.5+0.2', 'segment:0,0,-1,0,0,1'], ['triangle:0,0,0,1,0,0,0,1,0', 'triangle:0,0,0,1,0,0,0,1,0'], ['segment:0,0,0,1,0,0', 'segment:0,0,0,0,1,0'], ['box:100,1,1', 'box:0.01,0.01,5']]) {
    const { open: gaps, out, volume } = await desk.evaluate(shapeOfDifference, [a, b, [...aligned, ...nearly, ...any]]);
    assert.equal(gaps, 0, `${a} and ${b}: a hole`);
    assert.ok(out < 2e-4 && volume < 1e-6, `${a} and ${b}: corners stand out by ${out}, the volume is off by ${volume}`);
  }
  /* Lines are edges: of two boxes side by side those of a box, of a turned one those of an octagonal prism. */
  const lines = (bodies, quaternions) => desk.evaluate(shapeOfDifference, [...bodies, quaternions]).then((found) => found.lines);
  const boxes = await lines(['box:1,0.6,0.8', 'box:0.5,0.9,0.4'], [...aligned, [0, 0, 0.3, 1]]);
  assert.ok(boxes.slice(0, 4).every((n) => n >= 12 && n <= 24), `an edge may be drawn in two parts: ${boxes}`);
  assert.ok(boxes[4] >= 24 && boxes[4] <= 32 && boxes[5] >= 24 && boxes[5] <= 32, `${boxes}`);
  quiet(desk);
});

/* What a frame may cost: milliseconds of script, and bytes of garbage. In a page of its own a function runs until the browser has compiled it,
 * because before that every number is boxed; then the best of some rounds counts, because other programs run too. */
test('moving, turning, looking around and replaying take little time and leave no garbage to speak of', async (context) => {
  const page = await open(viewer);
  const client = await page.context().newCDPSession(page);
  await page.evaluate(() => {
    const { gl } = apartViewer.stage.painter;
    gl.drawArrays = gl.drawArraysInstanced = () => {}; /* this is not about pixels, which take their time without a graphics card */
    const pointer = { pointerId: 1, pointerType: 'mouse', offsetX: 0, offsetY: 0, clientX: 0, clientY: 0, stopImmediatePropagation() {} };
    const hold = (i, turns) => {
      const { drag } = apartViewer;
      drag.held = drag.pointer = 1;
      drag.turnsNow = turns;
      pointer.offsetX = pointer.clientX = 200 + (i & 32 ? 31 - (i & 31) : i & 31);
      pointer.offsetY = pointer.clientY = 150 + (i & 15);
      drag.move(pointer);
      drag.held = -1;
    };
    window.steps = {
      move: (i) => hold(i, false),
      turn: (i) => hold(i, true),
      look: (i) => apartViewer.stage.panes[0].orbit(0.02, i & 16 ? -0.01 : 0.01),
      play: () => {
        const { replay } = apartViewer.modes;
        if (replay.time > replay.t1 - 0.1) replay.time = replay.t0;
        replay.playing = true;
        replay.tick(0.004);
        replay.playing = false;
      },
    };
    /* Ten frames together: the clock ticks in tenths of milliseconds. */
    const times = new Float64Array(15);
    window.frames = function frames(name) {
      const step = window.steps[name];
      for (let k = 0; k < times.length; k++) {
        const start = performance.now();
        for (let i = 10 * k; i < 10 * k + 10; i++) {
          step(i);
          apartViewer.stage.draw();
        }
        times[k] = (performance.now() - start) / 10;
      }
      return times.sort()[times.length >> 1];
    };
  });
  /* Only what frames make: texts are written by the clock in between. */
  const bytesOf = ({ callFrame, selfSize, children }, inside) => {
    const within = inside || callFrame.functionName === 'frames';
    return (within ? selfSize : 0) + children.reduce((total, child) => total + bytesOf(child, within), 0);
  };
  const round = async (name) => {
    const ms = await page.evaluate((step) => window.frames(step), name); /* by itself: the sampling takes time */
    await client.send('HeapProfiler.startSampling', { samplingInterval: 256, includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true });
    await page.evaluate((step) => window.frames(step), name);
    const { profile } = await client.send('HeapProfiler.stopSampling');
    return { bytes: bytesOf(profile.head, false) / 150, ms };
  };
  for (const [hash, step, most, slowest] of [['#preset=first', 'move', 100, 2], ['#a=box:1,1,1&b=box:0.5,0.6,0.7&pb=0.9,0.3,0.2,0,0,0.1,1', 'move', 100, 2], ['#preset=first', 'look', 100, 2], ['#preset=first', 'turn', 100, 2],
    ['#a=random:80,3&b=random:80,5&pb=2.6,0.4,0.3,0,0,0.1,1', 'turn', 100, 3], ['#a=cylinder:0.4,0.7&b=cone:0.7,0.7&pb=2.6,0.4,0.3,0,0,0.1,1', 'turn', 100, 3], ['#a=box:0.8,0.6,0.5%2B0.2&b=ellipsoid:0.3,0.6,0.5&pb=2.6,0.4,0.3,0,0,0.1,1', 'turn', 100, 6],
    ['#a=circle:1&b=rectangle:1,0.5&pb=2,0.2,0,0,0,0,1', 'turn', 100, 2], ['#preset=dominoes', 'play', 200, 3]]) {
    await go(page, hash);
    await page.waitForFunction((name) => !name || apartViewer.state.preset === name, hash.split('preset=')[1]);
    await still(page);
    const frames = await page.evaluate(() => apartViewer.stage.frames);
    await round(step);
    let [bytes, ms, rounds] = [Infinity, Infinity, 1];
    while (rounds < 3 || (rounds < 20 && !(bytes < most && ms < slowest))) {
      const now = await round(step);
      [bytes, ms, rounds] = [Math.min(bytes, now.bytes), Math.min(ms, now.ms), rounds + 1];
    }
    assert.ok(await page.evaluate(() => apartViewer.stage.frames) >= frames + 300 * rounds, 'every frame is drawn');
    context.diagnostic(`${step} in ${hash}: ${Math.round(bytes)} bytes and ${ms.toFixed(2)} ms a frame`);
    assert.ok(bytes < most, `${Math.round(bytes)} bytes a frame, ${step} in ${hash}`);
    assert.ok(ms < slowest, `${ms} ms a frame, ${step} in ${hash}`);
  }
  await client.detach();
  quiet(page);
  await page.close();
});

test('what the graphics card forgets is drawn again', async () => {
  const page = desk;
  await go(page, '#preset=first');
  const [x, y] = await place(page, 0);
  /* The colour under A's name, bottom up as WebGL counts. */
  const colour = () => page.evaluate(([px, py]) => {
    const { stage } = apartViewer;
    const { gl, ratio } = stage.painter;
    const box = stage.canvas.getBoundingClientRect();
    const pixel = new Uint8Array(4);
    stage.invalidate();
    stage.draw();
    gl.readPixels((px - box.left) * ratio, (box.bottom - py) * ratio, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    return [...pixel];
  }, [x, y]);
  const before = await colour();
  assert.ok(before[2] > before[0] + 50, `A is blue, not ${before}`);
  await page.evaluate(() => new Promise((done) => {
    const { painter, canvas } = apartViewer.stage;
    const context = painter.gl.getExtension('WEBGL_lose_context');
    canvas.addEventListener('webglcontextlost', () => setTimeout(() => context.restoreContext()), { once: true });
    canvas.addEventListener('webglcontextrestored', () => setTimeout(done), { once: true });
    context.loseContext();
  }));
  assert.deepEqual(await colour(), before);
  page.complaints = page.complaints.filter((text) => !/CONTEXT_LOST_WEBGL/.test(text));
  quiet(page);
});

test('the steps of a recorded query, and two bodies by their names', async () => {
  const words = ['distance', 'box:1,0.5,0.25', 'cylinder:0.5,1', '--pose-a', 'rpy=0.3,1,2', '--pose-b', 'xyz=2,1,0.5 rpy=1,0.2,0.1'];
  const steps = native(...words, '--record', 'query.json').iterations;
  native('view', 'query.json', '-o', 'query.html');
  let page = await open(pathToFileURL(join(work, 'query.html')).href);
  assert.equal(await page.locator('#step-count').textContent(), `step 1 of ${steps}`);
  quiet(page);
  await page.close();
  native('view', ...words.slice(1), '-o', 'pair.html');
  page = await open(pathToFileURL(join(work, 'pair.html')).href);
  await settle(page);
  const { answer } = await asked(page);
  assert.equal(answer.distance, native(...words).distance);
  await assertNative(page);
  quiet(page);
  await page.close();
});

test('meshes that are not convex are shown by their triangles', async () => {
  writeFileSync(join(work, 'tray.off'), 'OFF\n8 5 0\n-1 -1 -1\n1 -1 -1\n1 1 -1\n-1 1 -1\n-1 -1 1\n1 -1 1\n1 1 1\n-1 1 1\n4 3 2 1 0\n4 0 1 5 4\n4 1 2 6 5\n4 2 3 7 6\n4 3 0 4 7\n');
  native('view', 'tray.off', 'sphere:0.25', '-o', 'tray.html');
  const page = await open(pathToFileURL(join(work, 'tray.html')).href);
  assert.equal(await page.evaluate(() => document.body.dataset.mode), 'replay');
  assert.equal(await page.locator('#clearance').getAttribute('data-value'), '0.75');
  assert.deepEqual(await page.evaluate(() => apartViewer.world.meshes.map(({ shape, mesh }) => [shape === null, mesh.triangles === 10])), [[true, true], [false, false]]);
  const broken = JSON.parse(JSON.stringify(await page.evaluate(() => apartViewer.modes.replay.record)));
  broken.shapes[0].faces[3] = [0, 1, 8];
  writeFileSync(join(work, 'broken.json'), JSON.stringify(broken));
  quiet(page);
  await page.close();
  native('view', 'broken.json', '-o', 'broken.html');
  const refused = await open(pathToFileURL(join(work, 'broken.html')).href);
  assert.match(await refused.locator('#problem').textContent(), /shapes\[0\]\.faces\[3\]: expected three or more numbers of vertices/);
  await refused.close();
});

test('a link restores what it was made of', async () => {
  await go(desk, '#preset=first');
  await drag(desk, 1, [33, -21], 'Shift');
  await drag(desk, 1, [17, 29]);
  const before = await desk.evaluate(() => apartViewer.stage.direction().toArray());
  for (const key of ['j', 'i', '+', '+']) await desk.keyboard.press(key);
  assert.notDeepEqual(await desk.evaluate(() => apartViewer.stage.direction().toArray()), before, 'keys look around');
  const view = await desk.evaluate(() => apartViewer.stage.look());
  await desk.waitForTimeout(300);
  const { answer } = await asked(desk);
  const link = await desk.evaluate(() => location.href);
  await desk.keyboard.press('2');
  await desk.keyboard.press('ArrowRight');
  await desk.waitForTimeout(300);
  const stepLink = await desk.evaluate(() => location.hash);
  const page = await open(link);
  await settle(page);
  assert.deepEqual((await asked(page)).answer, answer);
  const look = () => page.evaluate(() => apartViewer.stage.direction().toArray().map((x) => x.toFixed(3)));
  const first = await look();
  assert.ok((await page.evaluate(() => apartViewer.stage.look())).every((x, i) => Math.abs(x - view[i]) < 1e-3), 'from as near');
  await go(page, stepLink);
  assert.equal(await page.evaluate(() => apartViewer.state.mode), 'step');
  assert.match(await page.locator('#step-count').textContent(), /^step 2 of/);
  assert.deepEqual(await look(), first);
  await page.evaluate(() => apartViewer.load({ a: `hull:${Array.from({ length: 900 }, (_, i) => Math.sin(i * i)).join()}`, b: 'sphere:1' }));
  await page.click('#link');
  assert.match(await page.locator('#share-truth').textContent(), /too large for a link: download this page/);
  assert.equal(await page.locator('#share-link').isVisible(), false);
  assert.equal(await page.evaluate(() => location.hash), '', 'and the address does not say something else');
  await page.keyboard.press('Escape');
  await go(page, '#m=replay&preset=impact&f=27&speed=2');
  assert.deepEqual(await page.evaluate(() => [apartViewer.state.mode, apartViewer.state.frame, apartViewer.modes.replay.playing]), ['replay', 27, false]);
  quiet(page);
  await page.close();
});

test('what is broken is said in the page', async () => {
  const page = desk;
  await go(page, '#preset=first');
  const says = async (name, text, message) => {
    await page.evaluate(([file, content]) => apartViewer.openFile(new File([content], file)), [name, text]);
    assert.ok(await page.locator('#problem').isVisible());
    assert.match(await page.locator('#problem-text').textContent(), message);
    await page.click('#problem-close');
    assert.equal(await page.locator('#problem').isVisible(), false);
  };
  const good = { apart_recording: 1, kind: 'scene', shapes: [{ shape: 'sphere:1' }], bodies: [{ parts: [{ shape: 0 }] }], frames: [{ t: 0, poses: [[0, 0, 0, 0, 0, 0, 1]] }] };
  await says('half.json', '{"apart_recording": 1,\n "kind": ', /half\.json: line 2.*not JSON/);
  await says('other.json', '{"a": 1}', /other\.json: the file: expected "apart_recording": 1/);
  await says('later.json', JSON.stringify({ ...good, apart_recording: 7 }), /version 7 is not known/);
  await says('shape.json', JSON.stringify({ ...good, shapes: [{ shape: 'bal:1' }] }), /shape\.json: shapes\[0\]: bal:1: expected a shape/);
  await says('index.json', JSON.stringify({ ...good, bodies: [{ parts: [{ shape: 3 }] }] }), /bodies\[0\]\.parts\[0\]\.shape: expected a number of a shape, 0 to 0/);
  await says('pose.json', JSON.stringify({ ...good, frames: [{ t: 0, poses: [[0, 0]] }] }), /frames\[0\]\.poses\[0\]: expected 7 or 12 numbers/);
  await says('time.json', JSON.stringify({ ...good, frames: [...good.frames, { t: -1, poses: [null] }] }), /frames\[1\]\.t: expected at least 0/);
  await says('broken.obj', 'v 1 2 x\n', /broken\.obj:1: expected three numbers after 'v', found 'x'/);
  await page.evaluate((text) => apartViewer.openFile(new File([text], 'good.json')), JSON.stringify(good));
  assert.equal(await page.locator('#problem').isVisible(), false);
  assert.equal(await page.evaluate(() => apartViewer.state.mode), 'replay');
  for (const [hash, message] of [['#a=bx:1&b=box:1,1,1', /expected a shape/], ['#pb=1,2', /expected 7 or 12 numbers/], ['#a=circle:1&b=box:1,1,1', /same dimension/], ['#m=nowhere', /mode 'nowhere'/]]) {
    await go(page, hash);
    assert.match(await page.locator('#problem-text').textContent(), message);
  }
  const wrong = await open(`${viewer}#a=bx:1`, { viewport: { width: 300, height: 300 } });
  assert.match(await wrong.locator('#problem-text').textContent(), /expected a shape/);
  assert.ok(await wrong.evaluate(() => apartViewer.view.pair !== undefined), 'and still shows something');
  await wrong.close();
  writeFileSync(join(work, 'bad.json'), '{"apart_recording": 1, "kind": "scene"}');
  const refused = spawnSync(program, ['view', 'bad.json'], { cwd: work, encoding: 'utf8' });
  assert.equal(refused.status, 2);
  assert.match(refused.stderr, /bad\.json:1:1: expected "shapes" as an array with something in it/);
});

test('nothing is drawn while nothing changes; dark is dark; keys reach everything; calm is calm', async () => {
  const page = await open(`${viewer}#a=box:1,1,1&b=box:1,1,1&pb=3,0,0,0,0,0,1`, { colorScheme: 'dark', reducedMotion: 'reduce' });
  await page.waitForTimeout(500);
  const frames = await page.evaluate(() => apartViewer.stage.frames);
  await page.waitForTimeout(300);
  assert.equal(await page.evaluate(() => apartViewer.stage.frames), frames);
  assert.equal(await page.evaluate(() => apartViewer.themeName), 'dark');
  await page.click('#theme');
  assert.equal(await page.evaluate(() => apartViewer.themeName), 'light');
  await page.keyboard.press('?');
  assert.ok(await page.locator('#help-box').isVisible());
  await page.keyboard.press('Escape');
  const reached = new Set();
  await page.focus('#tab-explore');
  for (let i = 0; i < 14; i++) {
    await page.keyboard.press('Tab');
    reached.add(await page.evaluate(() => document.activeElement.id));
  }
  await go(page, '#preset=fig2');
  assert.equal(await page.evaluate(() => apartViewer.state.play), false, 'nothing moves for who does not want it');
  await page.focus('#tab-explore');
  for (const key of ['ArrowRight', 'ArrowRight']) {
    const before = await page.evaluate(() => document.activeElement.id);
    await page.keyboard.press(key);
    await page.waitForFunction((id) => document.activeElement.id !== id && apartViewer.state.mode === document.activeElement.id.slice(4), before);
    reached.add(await page.evaluate(() => document.activeElement.id));
  }
  for (const id of ['tab-step', 'tab-replay', 'presets', 'link', 'theme', 'help', 'pane-world', 'hand-turn']) assert.ok(reached.has(id), id);
  quiet(page);
  await page.close();
});
