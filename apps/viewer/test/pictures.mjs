/* The pictures of the viewer in docs/figures: node pictures.mjs VIEWER_HTML CHROMIUM OUTPUT_DIR */
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const [html, executablePath, output] = process.argv.slice(2).map((path) => resolve(path));
const viewer = pathToFileURL(html).href;
const pictures = [
  { name: 'viewer-explore', hash: '#preset=first' },
  { name: 'viewer-step', hash: '#preset=growing', colorScheme: 'dark' },
  { name: 'viewer-plane', hash: '#preset=plane', then: () => apartViewer.modes.step.go(1) },
  { name: 'viewer-replay', hash: '#preset=robot&m=replay', then: () => { const { replay } = apartViewer.modes; replay.pause(); replay.seek(replay.t0 + 0.42 * (replay.t1 - replay.t0)); } },
  { name: 'viewer-robot', hash: '#m=robot&preset=robot', then: () => { const { robot } = apartViewer.modes; robot.to([0.35, 0.6, -0.9, 0.5]); apartViewer.frame(); } },
  { name: 'viewer-phone', hash: '#preset=first', viewport: { width: 390, height: 780 } },
  { name: 'viewer-dominoes', hash: '#preset=dominoes&m=replay', colorScheme: 'dark', then: () => { const { replay } = apartViewer.modes; replay.pause(); replay.seek(1.47); } },
];
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'] });
for (const { name, hash, then, colorScheme = 'light', viewport = { width: 1180, height: 700 } } of pictures) {
  const page = await browser.newPage({ viewport, colorScheme });
  await page.goto(`${viewer}${hash}`);
  await page.waitForSelector('body[data-ready]');
  if (then) await page.evaluate(`(${then})()`);
  await page.waitForTimeout(1200);
  await page.screenshot({ path: join(output, `${name}.png`) });
  await page.close();
  console.log(name);
}
await browser.close();
