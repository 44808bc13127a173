/* Builds the viewer: one file, viewer.html, with script, style, WebAssembly and recordings inside.
 * usage: node build.mjs WASM_DIR OUTPUT_DIR */
import { build } from 'esbuild';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const here = dirname(fileURLToPath(import.meta.url));
const [wasmFolder, output] = process.argv.slice(2);
if (!output) {
  console.error('usage: node build.mjs WASM_DIR OUTPUT_DIR');
  process.exit(2);
}
const pack = (data) => gzipSync(data, { level: 9 }).toString('base64');

/* Modules that are made here: the WebAssembly, and the recordings of presets/. */
async function moduleText(name) {
  if (name === 'wasm') return `export default ${JSON.stringify(pack(await readFile(join(wasmFolder, 'apart.wasm'))))};`;
  const folder = join(here, 'presets');
  const names = existsSync(folder) ? (await readdir(folder)).filter((file) => file.endsWith('.json')).sort() : [];
  const entries = await Promise.all(names.map(async (file) => [file.replace(/\.json$/, ''), pack(await readFile(join(folder, file)))]));
  return `export default ${JSON.stringify(Object.fromEntries(entries))};`;
}

const made = {
  name: 'made',
  setup(b) {
    b.onResolve({ filter: /^apart:/ }, ({ path }) => ({ path: path.slice('apart:'.length), namespace: 'made' }));
    b.onLoad({ filter: /.*/, namespace: 'made' }, async ({ path }) => ({ contents: await moduleText(path), loader: 'js' }));
  },
};

const options = { bundle: true, minify: true, write: false, legalComments: 'none', logLevel: 'warning', target: 'es2022' };
const script = await build({ ...options, entryPoints: [join(here, 'src/main.js')], format: 'iife', plugins: [made] });
const style = await build({ ...options, entryPoints: [join(here, 'style.css')] });

/* A function as replacement: "$" means nothing in it. "</script" may not stand inside a script. */
const page = (await readFile(join(here, 'index.html'), 'utf8'))
  .replace('/*STYLE*/', () => style.outputFiles[0].text.trim())
  .replace('/*SCRIPT*/', () => script.outputFiles[0].text.trim().replace(/<\/script/gi, '<\\/script'));
await mkdir(output, { recursive: true });
const file = join(output, 'viewer.html');
await writeFile(`${file}.new`, page);
await rename(`${file}.new`, file);
console.log(`${file} ${Math.round(page.length / 1024)} kB`);
