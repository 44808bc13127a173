/* What the browser tests share: a browser, pages that are ready, the native program beside them.
 * usage: node TEST.mjs VIEWER_HTML APART CHROMIUM WORK_DIR */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { chromium } from 'playwright-core';

export const [html, program, executablePath, work] = process.argv.slice(2).map((path) => resolve(path));
export const viewer = pathToFileURL(html).href;
mkdirSync(work, { recursive: true });

let browser;
before(async () => {
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'] });
});
after(() => browser?.close());

/* The program's answer as JSON, or as it is. */
export const words = (...list) => execFileSync(program, list, { cwd: work, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
export const native = (...list) => JSON.parse(words(...list, '--json'));
/* One JSON a line, the summary last. */
export const nativeLines = (...list) => {
  let text;
  try {
    text = words(...list, '--json');
  } catch (error) {
    text = error.stdout; /* a "no" is an answer, too */
  }
  return text.trim().split('\n').map((line) => JSON.parse(line));
};

/* A page that is ready, or has said what is wrong; everything on its console counts. */
export async function open(address, options = {}) {
  const page = await browser.newPage({ viewport: { width: 840, height: 480 }, ...options });
  page.complaints = [];
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && page.complaints.push(message.text()));
  page.on('pageerror', (error) => page.complaints.push(String(error.stack ?? error)));
  await page.goto(address);
  await page.waitForSelector('body[data-ready]', { timeout: 30000 });
  return page;
}

export const quiet = (page) => assert.deepEqual(page.complaints.filter((text) => !/GPU stall due to ReadPixels/.test(text)), []);
export const settle = (page) => page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => setTimeout(done, 130)); }));
