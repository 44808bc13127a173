/* The robot mode in a browser, beside `apart clearance`. */
import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import assert from 'node:assert/strict';
import test from 'node:test';
import { html, native, nativeLines, open, quiet, settle, viewer, work } from './browser_kit.mjs';

const robots = join(dirname(fileURLToPath(import.meta.url)), '../../../examples/robot');
for (const file of ['arm.urdf', 'cell.json', 'move.csv']) copyFileSync(join(robots, file), join(work, file));
const kr5 = '/usr/share/doc/dart/data/urdf/KR5/KR5 sixx R650.urdf';

const pageOf = async (name, ...options) => {
  const { page } = native('view', ...options, '-o', name);
  return open(pathToFileURL(join(work, page)).href, { viewport: { width: 900, height: 560 } });
};
const q = (page) => page.evaluate(() => [...apartViewer.world.q]);
const shown = async (page) => {
  await settle(page);
  return Number(await page.locator('#robot-clearance').getAttribute('data-value'));
};
const names = ['turn', 'lift', 'bend', 'wrist', 'grip'];
const summaryAt = (joints, ...more) => nativeLines('clearance', 'arm.urdf', '--scene', 'cell.json', ...more, '--joints', names.map((name, v) => `${name}=${joints[v]}`).join(',')).at(-1).summary;

test('one command opens a robot; sliders, names and pairs are the program’s', async () => {
  const page = await pageOf('hand.html', 'arm.urdf', '--scene', 'cell.json');
  assert.equal(await page.evaluate(() => document.body.dataset.mode), 'robot');
  assert.deepEqual(await page.locator('#joints [data-joint]').evaluateAll((list) => list.map((range) => [range.dataset.joint, Number(range.min), Number(range.max)])), [['turn', -3, 3], ['lift', -1.2, 2], ['bend', -2.6, 2.6], ['wrist', -2, 2], ['grip', 0, 0.04]]);
  for (const [joint, value] of [['turn', 0.4], ['lift', 0.9], ['bend', 1.1], ['grip', 0.02]]) await page.locator(`#joints [data-joint=${joint}]`).evaluate((range, to) => { range.value = String(to); range.dispatchEvent(new Event('input')); }, value);
  assert.deepEqual(await q(page), [0.4, 0.9, 1.1, 0, 0.02]);
  const value = await shown(page);
  const at = summaryAt(await q(page));
  assert.ok(Math.abs(value - at.worst.distance) < 1e-15 * Math.max(1, 100 * Math.abs(value)), `${value} on the page, ${at.worst.distance} by the program`);
  const rows = await page.locator('#pairs tr:not([hidden])').evaluateAll((list) => list.slice(1).map((row) => row.children[0].textContent.split(' – ')));
  const expected = nativeLines('clearance', 'arm.urdf', '--scene', 'cell.json', '--nearest', '5', '--joints', names.map((name, v) => `${name}=${[0.4, 0.9, 1.1, 0, 0.02][v]}`).join(',')).filter((line) => line.a).slice(0, 5);
  assert.deepEqual(rows.slice(0, 5), expected.map(({ a, b }) => [a, b]));
  /* Beyond a limit the row says so, and the command is the program's. */
  await page.locator('#joints .joint:first-child input[type=number]').fill('3.4');
  await page.locator('#joints .joint:first-child input[type=number]').press('Enter');
  await settle(page);
  assert.ok(await page.locator('#joints .joint:first-child').evaluate((row) => row.classList.contains('beyond')));
  assert.equal(await page.evaluate(() => apartViewer.modes.robot.command()), 'apart clearance arm.urdf --scene cell.json --joints "turn=3.4,lift=0.9,bend=1.1,wrist=0,grip=0.02"');
  quiet(page);
  await page.close();
});

test('the gradient is the program’s, and a step along it leads away', async () => {
  const page = await pageOf('hand.html', 'arm.urdf', '--scene', 'cell.json');
  await page.evaluate(() => apartViewer.modes.robot.to([0.25, 0.9, 1.1, 0.4, 0.02]));
  const before = await shown(page);
  const gradient = await page.evaluate(() => [...apartViewer.world.cell.gradient]);
  const expected = summaryAt(await q(page), '--gradients').gradient ?? nativeLines('clearance', 'arm.urdf', '--scene', 'cell.json', '--gradients', '--joints', names.map((name, v) => `${name}=${[0.25, 0.9, 1.1, 0.4, 0.02][v]}`).join(','))[0].gradient;
  names.forEach((name, v) => assert.ok(Math.abs(gradient[v] - expected[name]) < 1e-12, `${name}: ${gradient[v]}, ${expected[name]}`));
  assert.ok(await page.evaluate(() => apartViewer.modes.robot.arrows.some((arrow) => arrow.visible)));
  const size = Math.hypot(...gradient);
  await page.evaluate((step) => apartViewer.modes.robot.to(apartViewer.world.q.map((x, v) => x + step[v])), gradient.map((g) => (0.005 * g) / size));
  assert.ok(await shown(page) > before);
  await page.uncheck('#arrows');
  assert.ok(await page.evaluate(() => apartViewer.modes.robot.arrows.every((arrow) => !arrow.visible)));
  quiet(page);
  await page.close();
});

test('a link is dragged to where the pointer goes, within the limits; hovering tells its name', async () => {
  const page = await pageOf('hand.html', 'arm.urdf', '--scene', 'cell.json');
  await page.evaluate(() => apartViewer.modes.robot.to([0, 0.4, 1, 0.3, 0.02]));
  await settle(page);
  const spot = await page.evaluate(() => {
    const { robot } = apartViewer.modes;
    const body = apartViewer.world.record.bodies.findIndex(({ name }) => name === 'hand');
    const { group } = apartViewer.world.bodies[body];
    const at = robot.pane.project(group.position.clone().applyMatrix4(apartViewer.world.root.world), group.position.clone());
    const box = robot.pane.element.getBoundingClientRect();
    return [box.left + at.x, box.top + at.y];
  });
  await page.mouse.move(...spot);
  await settle(page);
  assert.ok(['hand', 'fore'].includes(await page.locator('#tip').textContent()) && await page.locator('#tip').isVisible());
  await page.mouse.down();
  await page.mouse.move(spot[0] - 30, spot[1] - 40, { steps: 4 });
  await page.mouse.move(spot[0] - 60, spot[1] - 70, { steps: 4 });
  const miss = await page.evaluate(() => {
    const { hand } = apartViewer.modes.robot;
    const m = apartViewer.world.cell.linkPose(hand.held);
    const to = hand.inWorld(hand.hit);
    return Math.hypot(...[0, 1, 2].map((k) => m[4 * k] * hand.local[0] + m[4 * k + 1] * hand.local[1] + m[4 * k + 2] * hand.local[2] + m[4 * k + 3] - to[k]));
  });
  await page.mouse.up();
  assert.ok(miss < 1e-3, `the point that is held is ${miss} from the pointer`);
  const after = await q(page);
  assert.ok(await page.evaluate((list) => apartViewer.world.cell.variables.every(({ lower, upper }, v) => list[v] >= lower && list[v] <= upper), after));
  assert.ok(Math.abs(await shown(page) - summaryAt(after).worst.distance) < 1e-13);
  quiet(page);
  await page.close();
});

test('links are selected, hidden and coloured; a pair is looked at, muted and written as SRDF', async () => {
  const page = await pageOf('hand.html', 'arm.urdf', '--scene', 'cell.json');
  assert.equal(await page.locator('#links .tree-row').count(), 10);
  const first = await shown(page);
  await page.locator('#links .tree-row button').nth(3).click();
  assert.equal(await page.locator('#links .chosen').count(), 1);
  await page.locator('#links .tree-row input[type=checkbox]').nth(3).uncheck();
  assert.equal(await page.evaluate(() => apartViewer.world.bodies.filter(({ group }) => !group.visible).length), 1);
  await page.locator('#links .tree-row input[type=color]').nth(2).fill('#123456');
  assert.equal(await page.evaluate(() => apartViewer.world.bodies[2].colour), '#123456');
  await page.locator('#pairs tr button.link').first().click();
  assert.equal(await page.locator('#links .chosen').count(), 2, 'both bodies of the pair');
  await page.locator('#pairs .mute').first().click();
  const muted = await shown(page);
  assert.ok(muted > first);
  writeFileSync(join(work, 'muted.srdf'), await page.evaluate(() => apartViewer.modes.robot.srdf()));
  const expected = summaryAt(await q(page), '--srdf', 'muted.srdf');
  assert.ok(Math.abs(muted - expected.worst.distance) < 1e-13 && expected.pairs === await page.evaluate(() => apartViewer.world.cell.pairs.length));
  await page.click('#muted .muted-pair button');
  assert.equal(await shown(page), first);
  quiet(page);
  await page.close();
});

test('a motion between two positions is certified as the program certifies it, and opens as a timeline', async () => {
  const page = await pageOf('hand.html', 'arm.urdf', '--scene', 'cell.json');
  const ends = [[-0.6, 0.4, 1.2, 1, 0.03], [0.3, 0.3, 1.2, 1.2, 0.03]];
  await page.evaluate((to) => apartViewer.modes.robot.to(to), ends[0]);
  await page.click('#motion-from');
  await page.evaluate((to) => apartViewer.modes.robot.to(to), ends[1]);
  await page.click('#motion-to');
  const line = (list) => names.map((name, v) => `${name}=${list[v]}`).join(',');
  const { summary } = nativeLines('clearance', 'arm.urdf', '--scene', 'cell.json', '--joints', ends.map(line).join('; ')).at(-1);
  const lower = Number(await page.locator('#motion-verdict').getAttribute('data-lower'));
  assert.ok(lower <= summary.upper + 1e-12 && Math.abs(lower - summary.lower) < 2e-4, `${lower}, ${summary.lower}`);
  assert.match(await page.locator('#motion-verdict').textContent(), /^Proved: between 0\.03/);
  await page.fill('#motion-limit', '0.05');
  await page.click('#motion-check');
  assert.match(await page.locator('#motion-verdict').textContent(), /^Refuted/);
  await page.click('#motion-worst');
  const value = await shown(page);
  assert.ok(value >= lower - 1e-12 && value < lower + 2e-4, `the worst moment is as near as was certified: ${value}, ${lower}`);
  await page.click('#motion-timeline');
  await page.waitForFunction(() => apartViewer.state.mode === 'replay' && apartViewer.modes.replay.curve.complete);
  assert.ok(await page.locator('#chart .breach').count() >= 1 && await page.locator('#chart .certified').count() === 1);
  await page.click('#take');
  assert.equal(await page.evaluate(() => apartViewer.state.mode), 'robot');
  quiet(page);
  await page.close();
});

test('from a URDF to the worst moment of a motion: one command, two clicks', async () => {
  const page = await pageOf('worst.html', 'arm.urdf', '--scene', 'cell.json', '--traj', 'move.csv', '--limit', '0.012');
  await page.waitForFunction(() => apartViewer.modes.replay.curve.complete);
  await page.click('#worst');
  const { summary } = nativeLines('clearance', 'arm.urdf', '--scene', 'cell.json', '--traj', 'move.csv').at(-1);
  const value = Number(await page.locator('#clearance').getAttribute('data-value'));
  assert.ok(Math.abs(value - summary.worst.distance) < 1e-4, `${value} and ${summary.worst.distance}`);
  await page.click('#take');
  assert.ok(Math.abs(Number(await page.locator('#robot-clearance').getAttribute('data-value')) - value) < 1e-15, 'the same moment, in the hand');
  assert.equal(await page.locator('#joints .joint').count(), 5);
  quiet(page);
  await page.close();
});

/* A folder with a robot: its mesh in a package, an SRDF, a scene. */
const folder = {
  'bot/robots/bot.urdf': '<?xml version="1.0"?>\n<!-- two links -->\n<robot name="bot">\n <link name="base"><collision><geometry><box size="0.4 0.4 0.1"/></geometry></collision></link>\n <link name="arm">\n  <collision><origin xyz="0 0 0.3" rpy="0 0 0.1"/><geometry><mesh filename="package://bot/meshes/arm.obj" scale="0.1 0.1 0.3"/></geometry></collision></link>\n <link name="tip"><collision><geometry><sphere radius="0.05"/></geometry></collision></link>\n <joint name="turn" type="revolute"><parent link="base"/><child link="arm"/>\n  <origin xyz="0 0 0.1"/><axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>\n <joint name="reach" type="prismatic"><parent link="arm"/><child link="tip"/><origin xyz="0 0 0.7"/><axis xyz="0 0 1"/><limit lower="0" upper="0.3" effort="1" velocity="1"/></joint>\n</robot>\n',
  'bot/meshes/arm.obj': 'v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1\nv 1 1 1\nv -1 1 1\nf 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n',
  'bot/bot.srdf': '<robot name="bot"><disable_collisions link1="arm" link2="post" reason="User"/><group_state name="up" group="all"><joint name="turn" value="0.5"/></group_state></robot>\n',
  'bot/scene.json': '{"shapes": {"pole": {"parts": [{"shape": "cylinder:0.05,0.6", "pose": {"xyz": [0, 0, 0.1]}}]}}, "bodies": [{"name": "post", "shape": "pole", "pose": {"xyz": [0.5, 0.1, 0.5], "rpy": [0.1, 0, 0]}}]}',
};

test('a dropped folder is read by the program’s own readers', async () => {
  for (const [name, text] of Object.entries(folder)) {
    mkdirSync(dirname(join(work, name)), { recursive: true });
    writeFileSync(join(work, name), text);
  }
  const page = await open(viewer);
  await page.evaluate((files) => apartViewer.openFiles(Object.entries(files).map(([name, text]) => ({ name, file: new File([text], name.split('/').at(-1)) }))), folder);
  await page.waitForFunction(() => apartViewer.state.mode === 'robot');
  assert.equal(await page.locator('#problem').isVisible(), false);
  await page.selectOption('#robot-state', 'up');
  assert.deepEqual(await q(page), [0.5, 0]);
  await page.evaluate(() => apartViewer.modes.robot.to([0.6, 0.1]));
  const value = await shown(page);
  const { summary } = nativeLines('clearance', 'bot/robots/bot.urdf', '--srdf', 'bot/bot.srdf', '--scene', 'bot/scene.json', '--joints', 'turn=0.6,reach=0.1').at(-1);
  assert.ok(Math.abs(value - summary.worst.distance) < 1e-14, `${value} on the page, ${summary.worst.distance} by the program`);
  assert.equal(await page.evaluate(() => apartViewer.world.cell.pairs.length), summary.pairs);
  assert.match(await page.evaluate(() => apartViewer.modes.robot.command()), /^apart clearance bot\/robots\/bot\.urdf --srdf bot\/bot\.srdf --scene bot\/scene\.json --joints/);
  quiet(page);
  await page.close();
});

test('what is wrong in a robot is said with its file and line', async () => {
  const page = await open(viewer);
  const says = async (files, message) => {
    await page.evaluate((all) => apartViewer.openFiles(Object.entries(all).map(([name, text]) => ({ name, file: new File([text], name) }))), files);
    await settle(page);
    assert.match(await page.locator('#problem-text').textContent(), message);
    await page.click('#problem-close');
  };
  await says({ 'a.urdf': '<robot name="a">\n<link name="b"/>\n<joint name="j" type="revolute"><parent link="b"/><child link="c"/></joint>\n</robot>' }, /a\.urdf:3: .*'c'/);
  await says({ 'b.urdf': '<robot name="a">\n<link name="b">\n</robot>' }, /b\.urdf:3: mismatched tag/);
  await says({ 'c.urdf': '<robot name="a">\n\n<link name="b"><collision><geometry><mesh filename="gone.stl"/></geometry></collision></link></robot>' }, /c\.urdf:3: .*gone\.stl/);
  await says({ 'd.urdf': '<robot name="&bad;"/>' }, /d\.urdf:1: undefined entity/);
  await says({ 'e.srdf': '<robot name="x"/>' }, /drop it together with the robot/);
  await says({ 'f.urdf': '<robot name="a"><link name="b"/></robot>', 's.json': '{"bodies": [{"name": "x", "shape": "ball.stl"}]}' }, /s\.json: bodies\[0\]\.shape: 'ball\.stl' is a file; the program reads it/);
  quiet(page);
  await page.close();
});

test('MJCF, and Collada meshes, are read in the page', async () => {
  const page = await open(viewer);
  const mjcf = '<mujoco model="two"><compiler angle="radian"/><worldbody><body name="base"><geom type="box" size="0.2 0.2 0.05"/><body name="arm" pos="0 0 0.5"><joint name="hinge" axis="0 1 0" range="-1 1"/><geom type="capsule" size="0.05 0.2"/><body name="end" pos="0 0 0.6"><joint name="bend" axis="1 0 0" range="-1 1"/><geom type="sphere" size="0.06"/></body></body></body></worldbody></mujoco>';
  writeFileSync(join(work, 'two.xml'), mjcf);
  await page.evaluate((text) => apartViewer.openFiles([{ name: 'two.xml', file: new File([text], 'two.xml') }]), mjcf);
  await page.waitForFunction(() => apartViewer.state.mode === 'robot');
  await page.evaluate(() => apartViewer.modes.robot.to([0.3, -0.4]));
  const value = await shown(page);
  const { summary } = nativeLines('clearance', 'two.xml', '--joints', 'hinge=0.3,bend=-0.4').at(-1);
  assert.ok(Math.abs(value - summary.worst.distance) < 1e-14);
  quiet(page);
  await page.close();
});

test('a KUKA KR5 with its meshes: one small file, little time a frame, no growth', { skip: !existsSync(kr5) }, async (context) => {
  assert.ok(statSync(html).size < 2e6, 'the page');
  const { bytes } = native('view', kr5, '--as', 'solid', '-o', 'kr5_meshes.html');
  assert.ok(bytes < 4e6, `${bytes} bytes`);
  const page = await pageOf('kr5.html', kr5);
  await page.evaluate(() => {
    const { gl } = apartViewer.stage.painter;
    gl.drawArrays = gl.drawArraysInstanced = () => {};
    window.drag = (count) => {
      const { robot } = apartViewer.modes;
      const start = performance.now();
      for (let i = 0; i < count; i++) {
        apartViewer.world.q[1] = -1 + 0.8 * Math.sin(i / 40);
        apartViewer.world.q[2] = 0.5 * Math.cos(i / 30);
        robot.moved();
        apartViewer.stage.draw();
      }
      return (performance.now() - start) / count;
    };
    window.drag(200);
  });
  let ms = Infinity;
  for (let i = 0; i < 8; i++) ms = Math.min(ms, await page.evaluate(() => window.drag(50)));
  context.diagnostic(`${ms.toFixed(2)} ms a frame with ${await page.evaluate(() => apartViewer.world.cell.pairs.length)} pairs; ${bytes} bytes with meshes`);
  assert.ok(ms < 4, `${ms} ms a frame`);
  const client = await page.context().newCDPSession(page);
  const heap = async () => {
    await client.send('HeapProfiler.collectGarbage');
    return (await page.evaluate(() => apartViewer.apart.m.memory.buffer.byteLength)) + (await client.send('Runtime.getHeapUsage')).usedSize;
  };
  await page.evaluate(() => window.drag(300));
  const before = await heap();
  await page.evaluate(() => window.drag(3000));
  const after = await heap();
  assert.ok(after - before < 200e3, `${after - before} bytes more after 3000 frames`);
  quiet(page);
  await page.close();
});
