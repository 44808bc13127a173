/* Drawing with WebGL: shaded faces, lines of a width in pixels, round spots. Three programs, a tree of places with ink on its leaves, and
 * nothing allocated from frame to frame; a general renderer keeps its books in objects and boxed numbers. What is transparent is drawn last:
 * by its order, then the farthest first. */
import { Color, Matrix4, Quaternion, Ray, Vector3 } from 'three';

const HEAD = '#version 300 es\nprecision highp float;\n';
/* Light is added in linear numbers, the screen has those of sRGB. */
const TO_SCREEN = 'vec3 toScreen(vec3 c) { return mix(c * 12.92, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c)); }\n';

/* Two lamps go with the camera, one of them strong, and the sky is brighter than the ground. */
const FACES = {
  vertex: `
    layout(location = 0) in vec3 position;
    layout(location = 1) in vec3 normal;
    uniform mat4 view, project;
    out vec3 n;
    void main() {
      n = mat3(view) * normal;
      gl_Position = project * (view * vec4(position, 1.0));
    }`,
  fragment: `
    uniform vec4 colour;
    uniform bool shaded;
    uniform vec3 sky;
    in vec3 n;
    out vec4 seen;
    const vec3 KEY = normalize(vec3(-0.5, 0.9, 1.0)), FILL = normalize(vec3(0.8, -0.4, 0.3)), GROUND = vec3(0.485, 0.515, 0.565);
    void main() {
      vec3 light = vec3(1.0);
      if (shaded) {
        vec3 m = normalize(gl_FrontFacing ? n : -n);
        light = 0.61 * max(dot(m, KEY), 0.0) + 0.29 * max(dot(m, FILL), 0.0) + 0.55 * mix(GROUND, vec3(1.0), 0.5 + 0.5 * dot(m, sky));
      }
      seen = vec4(toScreen(min(colour.rgb * light, 1.0)), colour.a);
    }`,
  uniforms: ['view', 'project', 'colour', 'shaded', 'sky'],
};

/* Each line is a strip of two triangles, as wide as asked on the screen, with half a circle at its ends. What is behind the camera or far
 * beside the picture is cut off first: there numbers are too large to tell what is before what. Perspective is taken out of what is
 * measured in pixels. */
const LINES = {
  vertex: `
    layout(location = 0) in vec2 corner;
    layout(location = 1) in vec3 from;
    layout(location = 2) in vec3 to;
    uniform mat4 view, project;
    uniform vec3 size;
    uniform vec2 sizes;
    out vec3 place;
    flat out float far;
    const vec4 INSIDE[5] = vec4[](vec4(0, 0, 1, 1), vec4(1, 0, 0, 1.5), vec4(-1, 0, 0, 1.5), vec4(0, 1, 0, 1.5), vec4(0, -1, 0, 1.5));
    void main() {
      vec4 p = project * (view * vec4(from, 1.0)), q = project * (view * vec4(to, 1.0));
      for (int i = 0; i < 5; i++) {
        float a = dot(INSIDE[i], p), b = dot(INSIDE[i], q);
        if (a < 0.0 && b > 0.0) p = mix(p, q, a / (a - b));
        if (b < 0.0 && a > 0.0) q = mix(q, p, b / (b - a));
      }
      vec2 half2 = 0.5 * size.xy, way = half2 * (q.xy / q.w - p.xy / p.w);
      far = length(way);
      way = far > 1e-6 ? way / far : vec2(1.0, 0.0);
      float r = 0.5 * sizes.x * size.z, end = corner.y > 0.0 ? far + r : -r;
      gl_Position = corner.y > 0.0 ? q : p;
      gl_Position.xy += gl_Position.w * r / half2 * (corner.y * way + corner.x * vec2(-way.y, way.x));
      place = gl_Position.w * vec3(end, corner.x * r, 1.0);
    }`,
  fragment: `
    uniform vec4 colour;
    uniform vec3 size;
    uniform vec2 sizes;
    in vec3 place;
    flat in float far;
    out vec4 seen;
    void main() {
      vec2 at = place.xy / place.z;
      if ((at.x < 0.0 || at.x > far) && length(vec2(at.x - clamp(at.x, 0.0, far), at.y)) > 0.5 * sizes.x * size.z) discard;
      seen = vec4(toScreen(colour.rgb), colour.a);
    }`,
  uniforms: ['view', 'project', 'size', 'sizes', 'colour'],
};

const SPOTS = {
  vertex: `
    layout(location = 0) in vec3 position;
    uniform mat4 view, project;
    uniform vec3 size;
    uniform vec2 sizes;
    void main() {
      gl_Position = project * (view * vec4(position, 1.0));
      gl_PointSize = sizes.y * size.z + 2.0;
    }`,
  fragment: `
    uniform vec4 colour, rim;
    uniform vec3 size;
    uniform vec2 sizes;
    out vec4 seen;
    void main() {
      float inner = sizes.x * size.z, outer = sizes.y * size.z;
      float far = length(gl_PointCoord - 0.5) * (outer + 2.0);
      float edge = clamp(0.5 * outer - far + 0.5, 0.0, 1.0);
      if (edge == 0.0) discard;
      seen = vec4(toScreen(mix(rim.rgb, colour.rgb, clamp(0.5 * inner - far + 0.5, 0.0, 1.0))), edge);
    }`,
  uniforms: ['view', 'project', 'size', 'sizes', 'colour', 'rim'],
};

/* ---- the tree ---- */

/* Matrices in doubles whatever is in them: an array that has only seen whole numbers is of another kind, and functions that meet both kinds
 * box what they read. */
export function matrix(made = new Matrix4()) {
  made.elements = new Float64Array(made.elements);
  return made;
}

/* Somewhere in a scene: relative to what it hangs on, by position, rotation and scale, or by a matrix of the owner's (fixed). */
export class Place {
  constructor() {
    this.position = new Vector3();
    this.quaternion = new Quaternion();
    this.scale = new Vector3(1, 1, 1);
    this.matrix = matrix();
    this.world = matrix();
    this.fixed = false;
    this.visible = true;
    this.children = [];
  }

  add(...places) { this.children.push(...places); }

  remove(place) { this.children = this.children.filter((child) => child !== place); }

  clear() { this.children = []; }

  update(parent) {
    if (!this.fixed) this.matrix.compose(this.position, this.quaternion, this.scale);
    this.world.multiplyMatrices(parent, this.matrix);
  }

  dispose() { for (const child of this.children) child.dispose(); }
}

const linear = new Color();

/* What is drawn at a place. `source` has the arrays, how much of them is used, and a version that grows when they change. */
class Ink extends Place {
  constructor(source) {
    super();
    this.source = source;
    this.colour = new Float32Array([0, 0, 0, 1]);
    this.sizes = new Float32Array(2); /* in pixels of the page */
    this.order = 0;
    this.glass = false; /* transparent */
    this.hides = true; /* what is behind it */
    this.through = false; /* seen also where something is before it */
    this.center = new Vector3();
    this.depth = 0;
    this.made = null;
  }

  wear(source) {
    if (source !== this.source && this.made) this.made.version = -1;
    this.source = source;
  }

  setColour(colour, opacity = this.colour[3]) {
    linear.set(colour).toArray(this.colour);
    this.colour[3] = opacity;
  }

  dispose() {
    if (!this.made) return;
    const { gl, array, buffers } = this.made;
    gl.deleteVertexArray(array);
    for (const buffer of buffers) gl.deleteBuffer(buffer);
    this.made = null;
  }
}

const inverse = new Matrix4();
const local = new Ray();
const corner = [new Vector3(), new Vector3(), new Vector3()];
const hit = new Vector3();

/* Triangles: position and normal of each corner. */
export class Faces extends Ink {
  constructor(source) {
    super(source);
    this.shaded = true;
    this.both = false; /* sides */
  }

  /* Where a ray of the world meets it first: how far that is, Infinity if nowhere. */
  meet(ray, out) {
    const { position, triangles } = this.source;
    let nearest = Infinity;
    local.copy(ray).applyMatrix4(inverse.copy(this.world).invert());
    for (let i = 0; i < 9 * triangles; i += 9) {
      for (let k = 0; k < 3; k++) corner[k].fromArray(position, i + 3 * k);
      if (local.intersectTriangle(corner[0], corner[1], corner[2], false, hit) === null) continue;
      const far = hit.applyMatrix4(this.world).distanceTo(ray.origin);
      if (far >= nearest) continue;
      nearest = far;
      out.copy(hit);
    }
    return nearest;
  }
}

/* Lines from end to end, xyz after xyz. */
export class Strokes extends Ink {
  constructor(source, width) {
    super(source);
    this.setWidth(width);
  }

  setWidth(width) { this.sizes[0] = width; }
}

/* Round spots with a rim, always in front. */
export class Dots extends Ink {
  constructor(source, size) {
    super(source);
    this.sizes[0] = size;
    this.sizes[1] = size + 4;
    this.rim = new Float32Array(4);
    this.glass = this.through = true;
    this.order = 20;
  }

  setRim(colour) { linear.set(colour).toArray(this.rim); }
}

/* ---- drawing ---- */

function compile(gl, { vertex, fragment, uniforms }) {
  const program = gl.createProgram();
  for (const [type, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, TO_SCREEN + fragment]]) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, HEAD + text);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) throw new Error(`WebGL: ${gl.getProgramInfoLog(program)}`);
  return { program, at: Object.fromEntries(uniforms.map((name) => [name, gl.getUniformLocation(program, name)])) };
}

/* out = a b of two matrices, as floats. */
function multiply(a, b, out) {
  for (let c = 0; c < 16; c += 4) {
    for (let r = 0; r < 4; r++) out[c + r] = a[r] * b[c] + a[4 + r] * b[c + 1] + a[8 + r] * b[c + 2] + a[12 + r] * b[c + 3];
  }
}

export class Painter {
  constructor(canvas, onRestore) {
    this.canvas = canvas;
    this.gl = canvas.getContext('webgl2', { antialias: true, alpha: false });
    if (!this.gl) throw new Error('WebGL 2 is switched off or missing');
    this.solid = []; /* what a frame draws; never made shorter */
    this.glass = [];
    this.solidCount = this.glassCount = 0;
    this.view = new Float32Array(16);
    this.project = new Float32Array(16);
    this.identity = matrix();
    this.eye = new Float64Array(16);
    this.sky = new Float32Array(3);
    this.size = new Float32Array(3); /* of the box in pixels of the screen, and how many of them a pixel of the page has */
    this.ratio = 1;
    this.back = new Float32Array([0, 0, 0, 1]);
    this.farthest = new Float32Array([1]);
    this.start();
    canvas.addEventListener('webglcontextlost', (event) => event.preventDefault());
    canvas.addEventListener('webglcontextrestored', () => {
      this.start();
      onRestore();
    });
  }

  /* All that the graphics card forgets with its context; places notice that what they have made belongs to an older one. */
  start() {
    const { gl } = this;
    this.generation = (this.generation ?? 0) + 1;
    this.faces = compile(gl, FACES);
    this.lines = compile(gl, LINES);
    this.spots = compile(gl, SPOTS);
    this.corners = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, this.corners);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]), gl.STATIC_DRAW);
    gl.enable(gl.SCISSOR_TEST);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.polygonOffset(1, 1); /* faces behind their edges */
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  setSize(width, height, ratio) {
    this.ratio = ratio;
    const [w, h] = [Math.floor(width * ratio), Math.floor(height * ratio)];
    if (this.canvas.width !== w) this.canvas.width = w;
    if (this.canvas.height !== h) this.canvas.height = h;
  }

  setBackground(colour) { linear.set(colour).convertLinearToSRGB().toArray(this.back); }

  /* The scene in a box of the canvas: CSS pixels from the left and from below. The camera's matrices are those of now. */
  draw(scene, camera, box) {
    const { gl, ratio, size, eye, sky } = this;
    const x = Math.round(box.left * ratio);
    const y = Math.round(box.bottom * ratio);
    const wide = Math.round(box.width * ratio);
    const high = Math.round(box.height * ratio);
    gl.viewport(x, y, wide, high);
    gl.scissor(x, y, wide, high);
    gl.depthMask(true);
    gl.clearBufferfv(gl.COLOR, 0, this.back);
    gl.clearBufferfv(gl.DEPTH, 0, this.farthest);
    size[0] = wide;
    size[1] = high;
    size[2] = ratio;
    eye.set(camera.matrixWorldInverse.elements);
    for (let i = 0; i < 3; i++) sky[i] = eye[8 + i]; /* the world's z */
    this.project.set(camera.projectionMatrix.elements);
    this.solidCount = this.glassCount = 0;
    this.gather(scene, this.identity);
    gl.disable(gl.BLEND);
    for (let i = 0; i < this.solidCount; i++) this.put(this.solid[i]);
    gl.enable(gl.BLEND);
    for (let i = 0; i < this.glassCount; i++) this.put(this.glass[i]);
    gl.bindVertexArray(null);
  }

  gather(place, parent) {
    if (!place.visible) return;
    place.update(parent);
    if (place instanceof Ink) {
      if (place.glass) this.sortIn(place);
      else this.solid[this.solidCount++] = place;
      return;
    }
    const { children } = place;
    for (let i = 0; i < children.length; i++) this.gather(children[i], place.world);
  }

  /* By order, then the farthest first; of equals the one that came first. */
  sortIn(ink) {
    const { eye, glass } = this;
    const w = ink.world.elements;
    const { x, y, z } = ink.center;
    ink.depth = eye[2] * (w[0] * x + w[4] * y + w[8] * z + w[12]) + eye[6] * (w[1] * x + w[5] * y + w[9] * z + w[13]) + eye[10] * (w[2] * x + w[6] * y + w[10] * z + w[14]);
    let i = this.glassCount++;
    for (; i > 0 && (glass[i - 1].order > ink.order || (glass[i - 1].order === ink.order && glass[i - 1].depth > ink.depth)); i--) glass[i] = glass[i - 1];
    glass[i] = ink;
  }

  put(ink) {
    const { gl } = this;
    if (ink.through) gl.disable(gl.DEPTH_TEST);
    else gl.enable(gl.DEPTH_TEST);
    gl.depthMask(ink.hides);
    multiply(this.eye, ink.world.elements, this.view);
    if (ink instanceof Faces) this.putFaces(ink);
    else if (ink instanceof Strokes) this.putLines(ink);
    else this.putSpots(ink);
  }

  /* Numbers by way of arrays: as arguments they would be boxed. */
  use({ program, at }, ink) {
    const { gl } = this;
    gl.useProgram(program);
    gl.uniformMatrix4fv(at.view, false, this.view);
    gl.uniformMatrix4fv(at.project, false, this.project);
    gl.uniform4fv(at.colour, ink.colour);
  }

  putFaces(ink) {
    const { gl, faces } = this;
    const { source } = ink;
    const count = 3 * source.triangles;
    if (count === 0) return;
    if (ink.both && !ink.shaded) gl.disable(gl.CULL_FACE);
    else gl.enable(gl.CULL_FACE);
    if (ink.shaded) gl.enable(gl.POLYGON_OFFSET_FILL);
    else gl.disable(gl.POLYGON_OFFSET_FILL);
    this.use(faces, ink);
    gl.uniform1i(faces.at.shaded, ink.shaded ? 1 : 0);
    gl.uniform3fv(faces.at.sky, this.sky);
    if (this.isNew(ink, 2)) for (const i of [0, 1]) this.attribute(ink.made.buffers[i], i, 3, 0, 0, 0);
    if (ink.made.version !== source.version) {
      this.upload(ink.made, 0, source.position, 3 * count);
      this.upload(ink.made, 1, source.normal, 3 * count);
      ink.made.version = source.version;
    }
    /* The far side of a convex body of glass comes first: else it depends on the order of the faces how a place looks. */
    if (ink.both && ink.shaded) {
      gl.cullFace(gl.FRONT);
      gl.drawArrays(gl.TRIANGLES, 0, count);
      gl.cullFace(gl.BACK);
    }
    gl.drawArrays(gl.TRIANGLES, 0, count);
  }

  putLines(ink) {
    const { gl, lines } = this;
    const { source } = ink;
    if (source.lines === 0) return;
    gl.disable(gl.CULL_FACE);
    gl.disable(gl.POLYGON_OFFSET_FILL);
    this.use(lines, ink);
    gl.uniform3fv(lines.at.size, this.size);
    gl.uniform2fv(lines.at.sizes, ink.sizes);
    if (this.isNew(ink, 1)) {
      this.attribute(this.corners, 0, 2, 0, 0, 0);
      this.attribute(ink.made.buffers[0], 1, 3, 24, 0, 1);
      this.attribute(ink.made.buffers[0], 2, 3, 24, 12, 1);
    }
    if (ink.made.version !== source.version) {
      this.upload(ink.made, 0, source.line, 6 * source.lines);
      ink.made.version = source.version;
    }
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, source.lines);
  }

  putSpots(ink) {
    const { gl, spots } = this;
    const { source } = ink;
    if (source.spots === 0) return;
    this.use(spots, ink);
    gl.uniform4fv(spots.at.rim, ink.rim);
    gl.uniform3fv(spots.at.size, this.size);
    gl.uniform2fv(spots.at.sizes, ink.sizes);
    if (this.isNew(ink, 1)) this.attribute(ink.made.buffers[0], 0, 3, 0, 0, 0);
    if (ink.made.version !== source.version) {
      this.upload(ink.made, 0, source.position, 3 * source.spots);
      ink.made.version = source.version;
    }
    gl.drawArrays(gl.POINTS, 0, source.spots);
  }

  /* Binds what the card has of it. True: that was made now, and its attributes are still to be told. */
  isNew(ink, count) {
    const isNew = ink.made === null || ink.made.generation !== this.generation;
    if (isNew) this.make(ink, count);
    this.gl.bindVertexArray(ink.made.array);
    return isNew;
  }

  /* Apart from isNew: a function with another one inside makes a place for what they share at every call. */
  make(ink, count) {
    const { gl, generation } = this;
    const buffers = Array.from({ length: count }, () => gl.createBuffer());
    ink.made = { gl, generation, array: gl.createVertexArray(), buffers, room: buffers.map(() => 0), version: -1 };
  }

  attribute(buffer, location, size, stride, offset, divisor) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.enableVertexAttribArray(location);
    gl.vertexAttribPointer(location, size, gl.FLOAT, false, stride, offset);
    gl.vertexAttribDivisor(location, divisor);
  }

  /* Into the buffer that is there, or where that is too small into a new one for the whole array. */
  upload(made, i, array, count) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, made.buffers[i]);
    if (made.room[i] < count) {
      gl.bufferData(gl.ARRAY_BUFFER, array.byteLength, gl.DYNAMIC_DRAW);
      made.room[i] = array.length;
    }
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, array, 0, count);
  }
}
