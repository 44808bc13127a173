/* Sharing, `apart view` of everything and --serve; the bugs that had no test of their own. */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync, chmodSync } from 'node:fs';
import { spawn, spawnSync } from 'node:child_process';
import { request } from 'node:http';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import assert from 'node:assert/strict';
import test from 'node:test';
import { native, open, program, quiet, settle, viewer, words, work } from './browser_kit.mjs';

const robots = join(dirname(fileURLToPath(import.meta.url)), '../../../examples');
for (const file of ['robot/arm.urdf', 'robot/cell.json', 'robot/move.csv']) copyFileSync(join(robots, file), join(work, file.split('/')[1]));

/* What a click saves. */
async function saved(page, click) {
  const [download] = await Promise.all([page.waitForEvent('download'), click()]);
  const path = join(work, `saved-${download.suggestedFilename()}`);
  await download.saveAs(path);
  return path;
}

test('links tell the truth, and the page goes along where they cannot', async () => {
  const page = await open(viewer, { acceptDownloads: true });
  words('clearance', 'arm.urdf', '--traj', 'move.csv', '--scene', 'cell.json', '--record', 'shared.json');
  await page.evaluate((text) => apartViewer.openFile(new File([text], 'shared.json')), readFileSync(join(work, 'shared.json'), 'utf8'));
  await page.evaluate(() => { apartViewer.modes.replay.pause(); apartViewer.modes.replay.seek(1.5); });
  await page.click('#link');
  assert.match(await page.locator('#share-truth').textContent(), /in no link: download this page/);
  assert.equal(await page.locator('#share-link').isVisible(), false);
  const path = await saved(page, () => page.click('#share-page'));
  const value = await page.locator('#clearance').getAttribute('data-value');
  quiet(page);
  await page.close();
  const again = await open(pathToFileURL(path).href);
  assert.deepEqual(await again.evaluate(() => [apartViewer.state.mode, apartViewer.modes.replay.time]), ['replay', 1.5]);
  assert.equal(await again.locator('#clearance').getAttribute('data-value'), value);
  await again.click('#tab-robot');
  await again.evaluate(() => apartViewer.modes.robot.to([0.1, 0.2, 0.3, 0.4, 0.01]));
  await again.click('#link');
  assert.match(await again.locator('#share-truth').textContent(), /whoever has this page/);
  assert.ok(await again.locator('#share-link').isVisible());
  const link = await again.evaluate(() => location.href);
  const third = await open(link);
  assert.deepEqual(await third.evaluate(() => [apartViewer.state.mode, [...apartViewer.world.q]]), ['robot', [0.1, 0.2, 0.3, 0.4, 0.01]]);
  for (const p of [again, third]) {
    quiet(p);
    await p.close();
  }
  const hull = await open(viewer, { acceptDownloads: true });
  await hull.evaluate(() => apartViewer.load({ a: `hull:${Array.from({ length: 1200 }, (_, i) => Math.sin(i * i)).join()}`, b: 'sphere:1' }));
  await hull.click('#link');
  const copy = await open(pathToFileURL(await saved(hull, () => hull.click('#share-page'))).href);
  assert.equal(await copy.evaluate(() => apartViewer.modes.explore.answer.distance), await hull.evaluate(() => apartViewer.modes.explore.answer.distance));
  for (const p of [hull, copy]) {
    quiet(p);
    await p.close();
  }
});

test('a picture as PNG and SVG, a film, a frame for a web page', async () => {
  const page = await open(`${viewer}#preset=first`, { acceptDownloads: true });
  await page.click('#link');
  const png = readFileSync(await saved(page, () => page.click('#share-png')));
  assert.ok(png.length > 8000 && png.subarray(1, 4).toString() === 'PNG');
  await page.click('#link');
  const svg = readFileSync(await saved(page, () => page.click('#share-svg')), 'utf8');
  assert.match(svg, /^<svg [^>]*viewBox="0 0 /);
  assert.ok((svg.match(/<path/g) ?? []).length > 100 && svg.includes('>A</text>') && !svg.includes('NaN'));
  await page.click('#link');
  assert.match(await page.locator('#share-frame').inputValue(), /<iframe src="viewer\.html\?embed#m=explore&amp;/);
  await page.keyboard.press('Escape');
  quiet(page);
  await page.goto(`${viewer}?embed#m=replay&preset=impact&t=0.1`);
  await page.waitForSelector('body[data-ready]');
  assert.deepEqual(await page.evaluate(() => ['header', '#panels', '#transport'].map((s) => getComputedStyle(document.querySelector(s)).display !== 'none')), [false, false, true]);
  await page.goto(`${viewer}#m=replay&preset=impact&t=0.1&speed=1`);
  await page.waitForSelector('body[data-ready]');
  await page.reload();
  await page.waitForSelector('body[data-ready]');
  await page.click('#link');
  const film = readFileSync(await saved(page, () => page.click('#share-webm')));
  assert.ok(film.length > 3000 && film.readUInt32BE(0) === 0x1a45dfa3, `a film of ${film.length} bytes`);
  quiet(page);
  await page.close();
});

test('apart view shows whatever it is given', async () => {
  writeFileSync(join(work, 'rock.off'), 'OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n');
  copyFileSync(join(robots, 'cell.json'), join(work, 'gripper.json'));
  writeFileSync(join(work, 'falls.json'), words('simulate', 'table', '--print'));
  for (const [what, mode, text] of [['gripper.json', 'replay', /gripper turns/], ['bullet', 'replay', /./], ['falls.json', 'replay', /falls on a table/], ['rock.off', 'replay', /rock/], ['arm.urdf', 'robot', /desk_arm/]]) {
    const { page: name } = native('view', what, '-o', 'shown.html', ...(what === 'bullet' ? ['--steps', '20'] : []));
    const page = await open(pathToFileURL(join(work, name)).href);
    assert.equal(await page.evaluate(() => apartViewer.state.mode), mode, what);
    assert.match(await page.locator(mode === 'robot' ? '#robot-name' : '#recording-title').textContent(), text);
    assert.equal(await page.locator('#problem').isVisible(), false);
    quiet(page);
    await page.close();
  }
  const fails = (list, message) => {
    const run = spawnSync(program, ['view', ...list], { cwd: work, encoding: 'utf8' });
    assert.equal(run.status, 2);
    assert.match(run.stderr, message);
  };
  fails(['nothing.urdf'], /nothing\.urdf: cannot open/);
  fails(['arm.urdf', '--pose-a', 'xyz=1,0,0'], /for two bodies/);
  fails(['arm.urdf', '--serve', '-o', 'x.html'], /--serve writes no file/);
  mkdirSync(join(work, 'bin'), { recursive: true });
  writeFileSync(join(work, 'bin/xdg-open'), '#!/bin/sh\nprintf "%s" "$1" > opened.txt\n');
  chmodSync(join(work, 'bin/xdg-open'), 0o755);
  const run = spawnSync(program, ['view', 'arm.urdf', '-o', 'opened.html', '--open'], { cwd: work, encoding: 'utf8', env: { ...process.env, PATH: `${join(work, 'bin')}:${process.env.PATH}` } });
  assert.equal(run.status, 0, run.stderr);
  assert.equal(readFileSync(join(work, 'opened.txt'), 'utf8'), 'opened.html');
});

test('--serve is for this machine alone, and shows a file anew when it changes', async () => {
  copyFileSync(join(robots, 'robot/cell.json'), join(work, 'live.json'));
  const server = spawn(program, ['view', 'arm.urdf', '--scene', 'live.json', '--serve'], { cwd: work });
  try {
    const address = (await new Promise((done, failed) => { server.stdout.once('data', (data) => done(String(data))); server.once('exit', () => failed(new Error('it ended'))); server.stderr.once('data', (data) => failed(new Error(String(data)))); })).trim();
    assert.match(address, /^http:\/\/127\.0\.0\.1:\d+\/$/);
    const page = await open(address);
    assert.equal(await page.locator('#links .tree-row').count(), 10);
    const scene = JSON.parse(readFileSync(join(work, 'live.json'), 'utf8'));
    scene.bodies.push({ name: 'new one', shape: 'sphere:0.05', pose: { xyz: [0.5, -0.4, 0.3] } });
    writeFileSync(join(work, 'live.json'), JSON.stringify(scene));
    await page.waitForFunction(() => document.querySelectorAll('#links .tree-row').length === 11, null, { timeout: 15000 });
    writeFileSync(join(work, 'live.json'), '{"bodies": [');
    await page.waitForTimeout(1500);
    assert.equal(await page.locator('#links .tree-row').count(), 11, 'what is broken leaves the page as it was');
    quiet(page);
    await page.close();
    const { hostname, port } = new URL(address);
    const status = (path, host, method = 'GET') => new Promise((done, failed) => { request({ hostname, port, path, method, headers: { Host: host } }, (answer) => { answer.resume(); done(answer.statusCode); }).on('error', failed).end(); });
    assert.equal(await status('/', `127.0.0.1:${port}`), 200);
    assert.equal(await status('/', 'elsewhere.example:80'), 403, 'a foreign name that leads here');
    assert.equal(await status('/../etc/passwd', `127.0.0.1:${port}`), 404);
    assert.equal(await status('/', `127.0.0.1:${port}`, 'POST'), 405);
  } finally {
    server.kill('SIGTERM');
    await new Promise((done) => { if (server.exitCode !== null) done(); else server.once('exit', done); });
  }
  assert.equal(server.exitCode, 0);
});

test('in two dimensions a step draws its lower bound, through w', async () => {
  const page = await open(`${viewer}#preset=plane`);
  const found = await page.evaluate(() => {
    const { view, modes: { step } } = apartViewer;
    const { line } = view.line.source;
    const s = step.trace.steps[apartViewer.state.step];
    const w = s.support.b.map((x, i) => x - s.support.a[i]);
    const way = [line[3] - line[0], line[4] - line[1]];
    const length = Math.hypot(...way);
    return { shown: view.line.visible, flat: view.flat, off: Math.abs((w[0] - line[0]) * way[1] - (w[1] - line[1]) * way[0]) / length, from: Math.abs(line[0] * way[1] - line[1] * way[0]) / length, lower: s.lower };
  });
  assert.ok(found.flat && found.shown && found.off < 1e-5);
  assert.ok(Math.abs(found.from - Math.abs(found.lower)) < 1e-5, 'as far from the origin as the lower bound');
  quiet(page);
  await page.close();
});

test('focus, labels, contrast, the floor from below, undo and back', async () => {
  const page = await open(`${viewer}#preset=first`);
  const box = await page.locator('#pane-world').boundingBox();
  const at = await page.evaluate(() => { const { view } = apartViewer; const p = view.world.project(view.label.b.at, view.stage.spot.clone()); return [p.x, p.y]; });
  const before = await page.evaluate(() => apartViewer.modes.explore.answer.distance);
  await page.waitForTimeout(500);
  await page.mouse.move(box.x + at[0], box.y + at[1]);
  await page.mouse.down();
  await page.mouse.move(box.x + at[0] + 30, box.y + at[1] + 12, { steps: 3 });
  await page.mouse.up();
  assert.equal(await page.evaluate(() => getComputedStyle(document.getElementById('pane-world')).outlineStyle), 'none', 'no frame by a drag of the mouse');
  await page.keyboard.press('ArrowUp');
  assert.equal(await page.evaluate(() => getComputedStyle(document.getElementById('pane-world')).outlineStyle), 'solid', 'but by keys');
  await page.waitForFunction(() => /^distance \d/.test(document.getElementById('announce').textContent), null, { timeout: 5000 });
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+z');
  assert.equal(await page.evaluate(() => apartViewer.modes.explore.answer.distance), before, 'undone');
  /* Words do not lie on each other. */
  for (const hash of ['#preset=first', '#preset=growing', '#a=halfspace:0,0,1,0&b=cylinder:0.6,0.7&pb=0,0,1.3,0,0,0,1', '#a=box:1,1,1&b=box:1,1,1&pb=1.2,0,0,0,0,0,1']) {
    await page.evaluate((to) => { location.hash = to; }, hash);
    await settle(page);
    await settle(page);
    const over = await page.evaluate(() => apartViewer.stage.panes.flatMap((pane) => {
      const boxes = pane.labels.filter((label) => label.visible && label.word).map((label) => [label.word, label.span.getBoundingClientRect()]);
      return boxes.flatMap(([word, p], i) => boxes.slice(i + 1).filter(([, r]) => Math.min(p.right, r.right) - Math.max(p.left, r.left) > 6 && Math.min(p.bottom, r.bottom) - Math.max(p.top, r.top) > 8).map(([other]) => `${word} on ${other}`));
    }));
    assert.deepEqual(over, [], hash);
  }
  const floor = () => page.evaluate(() => apartViewer.stage.panes[0].scene.children.flatMap((c) => [c, ...c.children]).filter((c) => c.isFloor && c.visible).map((c) => c.source.lines));
  assert.ok((await floor()).some((n) => n > 0));
  await page.evaluate(() => { apartViewer.stage.panes[0].orbit(0, -2.5); apartViewer.stage.invalidate(); apartViewer.stage.draw(); });
  assert.ok((await floor()).every((n) => n === 0), 'seen from below, no lines across everything');
  await page.keyboard.press('2');
  await page.waitForTimeout(500);
  await page.goBack();
  await page.waitForFunction(() => apartViewer.state.mode === 'explore', null, { timeout: 5000 });
  assert.deepEqual(await page.evaluate(() => { const tab = document.getElementById('tab-explore'); return [tab.getAttribute('aria-controls'), tab.tabIndex, document.querySelectorAll('h1').length, Boolean(document.querySelector('meta[name=description]')), document.getElementById('canvas').getAttribute('role')]; }), ['explore-panel', 0, 1, true, 'img']);
  quiet(page);
  await page.close();
});

test('forced colours, contrast, and a low screen', async () => {
  const page = await open(`${viewer}#preset=steps`, { viewport: { width: 640, height: 360 } });
  const wide = await page.evaluate(() => ['pane-world', 'pane-space'].map((id) => document.getElementById(id).getBoundingClientRect()).map((r) => [Math.round(r.top), Math.round(r.height)]));
  assert.ok(wide[0][0] === wide[1][0] && wide[0][1] > 180, `side by side: ${wide}`);
  const ratio = await page.evaluate(() => {
    const light = (text) => { const [r, g, b] = text.match(/[\d.]+/g).map(Number).map((x) => { const y = x / 255; return y <= 0.04045 ? y / 12.92 : ((y + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
    const cell = document.querySelector('.simplex tr:not(.new) td');
    return 1.05 / (light(getComputedStyle(cell).color) + 0.05);
  });
  assert.ok(ratio >= 4.5, `contrast ${ratio} on white`);
  await page.emulateMedia({ forcedColors: 'active' });
  const [chosen, other] = await page.evaluate(() => ['tab-step', 'tab-explore'].map((id) => getComputedStyle(document.getElementById(id)).backgroundColor));
  assert.notEqual(chosen, other, 'the chosen mode is seen');
  await page.emulateMedia({ forcedColors: 'none' });
  await page.setViewportSize({ width: 1920, height: 1080 });
  assert.ok(await page.evaluate(() => document.getElementById('panels').getBoundingClientRect().width >= 400), 'larger for a projector');
  quiet(page);
  await page.close();
});
