/* Share: a link that tells the truth, the page itself as a file, a picture, a film, a frame for a web page. */
import { composePicture, drawSvg } from './picture.js';
import { copy, h, toast } from './ui.js';

const FRAMES = 30; /* a second, of a film */
const MARK = /(<script type="application\/json" id="apart-data">)[\s\S]*?(<\/script>)/;

/* The page as it was when it was opened, before anything in it changed. */
const pristine = document.documentElement.outerHTML;

const save = (name, blob) => {
  const link = h('a', { download: name, href: URL.createObjectURL(blob) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};

export class Share {
  constructor(app) {
    this.app = app;
    this.filming = false;
  }

  get box() { return document.getElementById('share-box'); }

  /* What a link restores, or why not. */
  truth() {
    const { app } = this;
    if (!app.showsWorld) {
      if (['a', 'b'].some((key) => app.state[key].length > 6000)) return { link: false, text: 'This hull is too large for a link: download this page, and send the file.' };
      return { link: true, text: 'The link restores exactly this, to the last bit.' };
    }
    if (app.state.preset) return { link: true, text: 'The link restores this moment of the story.' };
    if (app.recording && app.dropped === app.inlined) return { link: true, text: 'The link restores this moment, for whoever has this page’s file: the recording is in it.' };
    return { link: false, text: 'This recording is in no link: download this page, and send the file.' };
  }

  open() {
    const { app } = this;
    app.writeState();
    const { link, text } = this.truth();
    document.getElementById('share-truth').textContent = text;
    const button = (id, label, onclick, hidden = false) => h('button', { id, onclick, hidden }, label);
    const replay = app.state.mode === 'replay';
    document.getElementById('share-buttons').replaceChildren(
      button('share-link', 'copy link', async () => { await copy(location.href); toast('the link is in the clipboard'); }, !link),
      button('share-page', 'download this page', () => this.downloadPage()),
      button('share-png', 'PNG', () => this.png()), button('share-svg', 'SVG', () => this.svg()),
      button('share-webm', 'WebM', () => { this.box.close(); this.webm(); }, !replay));
    const frame = document.getElementById('share-frame');
    frame.value = link ? this.frame() : 'Download this page, put it on a server, and use its address with ?embed in an iframe.';
    this.box.showModal();
  }

  /* An iframe with what is shown and nothing around it. */
  frame() {
    const { origin, pathname, protocol, hash } = location;
    const address = `${protocol === 'file:' ? 'viewer.html' : origin + pathname}?embed${hash}`;
    return `<iframe src="${address.replace(/&/g, '&amp;')}" width="800" height="500" style="border:0" loading="lazy" title="${document.title.replace(/"/g, '')}"></iframe>`;
  }

  /* What is shown as the data of a page, with its address, so that it opens as it is now. */
  data() {
    const { app } = this;
    if (app.showsWorld) app.writeState();
    const address = app.addressOfState();
    if (!app.showsWorld) return { apart_address: address };
    const out = new Set(app.world.muted.map(([a, b]) => [a, b].sort().join(' ')));
    const { record } = app.world;
    const robot = record.robot && out.size > 0 ? { robot: { ...record.robot, pairs: record.robot.pairs.filter(([a, b]) => !out.has([a, b].sort().join(' '))) } } : {};
    return { ...record, ...robot, apart_address: address };
  }

  pageText() {
    const json = JSON.stringify(this.data()).replace(/</g, '\\u003c');
    return `<!doctype html>\n${pristine.replace(MARK, (_, before, after) => before + json + after)}\n`;
  }

  name(ending) { return `${(this.app.showsWorld ? this.app.world.record.title ?? 'apart' : 'apart').replace(/[^\w-]+/g, '-').slice(0, 40)}.${ending}`; }

  downloadPage() {
    save(this.name('html'), new Blob([this.pageText()], { type: 'text/html' }));
    toast('the page is saved: it needs no server and no network');
  }

  png() {
    composePicture(this.app).toBlob((blob) => save(this.name('png'), blob));
    this.box.close();
  }

  svg() {
    save(this.name('svg'), new Blob([drawSvg(this.app)], { type: 'image/svg+xml' }));
    this.box.close();
  }

  /* The replay as a film, in its own time. */
  async webm() {
    if (this.filming) return;
    const { replay } = this.app.modes;
    const type = ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm'].find((t) => globalThis.MediaRecorder?.isTypeSupported(t));
    if (!type) return void toast('this browser cannot record films', 'bad');
    this.filming = true;
    replay.pause();
    const { time } = replay;
    const canvas = composePicture(this.app);
    const recorder = new MediaRecorder(canvas.captureStream(FRAMES), { mimeType: type, videoBitsPerSecond: 6e6 });
    const pieces = [];
    recorder.addEventListener('dataavailable', (event) => pieces.push(event.data));
    const done = new Promise((resolve) => { recorder.addEventListener('stop', resolve); });
    recorder.start();
    const start = performance.now();
    const seconds = (replay.t1 - replay.t0) / replay.rate();
    toast(`recording ${seconds.toFixed(1)} seconds …`);
    for (let now = 0; now < seconds; now = (performance.now() - start) / 1000) {
      replay.seek(replay.t0 + now * replay.rate());
      composePicture(this.app, canvas);
      await new Promise((next) => { requestAnimationFrame(next); });
    }
    replay.seek(replay.t1);
    composePicture(this.app, canvas);
    await new Promise((next) => { setTimeout(next, 2000 / FRAMES); });
    recorder.stop();
    await done;
    replay.seek(time);
    this.film = new Blob(pieces, { type: 'video/webm' });
    save(this.name('webm'), this.film);
    this.filming = false;
    return undefined;
  }
}
