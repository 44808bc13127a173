/* A hull on the screen that may change every frame: its triangles and edges in arrays that are used again. */
const EMPTY = -1;
/* Faces that bend by less than a thousandth lie in one plane. */
const COPLANAR = Math.cos(1e-3);
/* A face of less area than this share of its sides squared has no normal of its own. */
const THIN = 1e-6;

/* An array with room for so many numbers: the old one, or a larger one with the same in it, of whole triangles and lines. */
export function room(array, count) {
  if (array.length >= count) return array;
  const larger = new array.constructor(18 * Math.ceil(count / 12));
  larger.set(array);
  return larger;
}

export class Shell {
  constructor() {
    this.position = new Float32Array(0);
    this.normal = new Float32Array(0);
    this.line = new Float32Array(0);
    this.faceNormal = new Float64Array(0); /* as long as twice the area */
    this.faceUnit = new Float64Array(0); /* zero where a face is too thin */
    this.aroundStart = new Uint32Array(0);
    this.around = new Uint32Array(0);
    this.vertexUnit = new Float64Array(0); /* zero where not all faces at a vertex blend */
    this.table = new Int32Array(0); /* of half edges: where in faceVertex each begins */
    this.sideFace = new Uint32Array(0);
    this.sideEnd = new Uint32Array(0);
    this.tableSize = 0;
    this.cosine = 1;
    this.cosineHalf = 1;
    this.blends = false;
    this.triangles = this.lines = this.version = 0;
  }

  /* Room for so many faces with so many corners together; without it the arrays grow with what comes. */
  reserve(faces, corners) {
    for (const name of ['faceNormal', 'faceUnit']) this[name] = room(this[name], 3 * faces);
    for (const name of ['position', 'normal']) this[name] = room(this[name], 9 * corners - 18 * faces);
    for (const name of ['around', 'sideFace', 'sideEnd']) this[name] = room(this[name], corners);
    this.aroundStart = room(this.aroundStart, corners + 2);
    this.vertexUnit = room(this.vertexUnit, 3 * corners);
    this.table = room(this.table, 4 * corners);
    this.line = room(this.line, 6 * corners);
  }

  /* From a hull's arrays (HullWork). smooth: degrees below which neighbours blend and their edge is not drawn; 0: flat faces, all edges.
   * A face may come in pieces. */
  set(hull, smooth) {
    this.cosine = smooth > 0 ? Math.cos((smooth * Math.PI) / 180) : COPLANAR;
    this.cosineHalf = Math.cos((smooth * Math.PI) / 360);
    this.blends = smooth > 0;
    this.measureFaces(hull);
    this.fillTable(hull);
    this.borrowNormals(hull);
    if (this.blends) {
      this.gatherFaces(hull);
      this.blendVertices(hull);
    }
    this.fillFaces(hull);
    this.fillEdges(hull);
    this.version += 1;
  }

  measureFaces({ xyz, faceStart, faceVertex, faceCount }) {
    this.faceNormal = room(this.faceNormal, 3 * faceCount);
    this.faceUnit = room(this.faceUnit, 3 * faceCount);
    for (let f = 0; f < faceCount; f++) {
      let x = 0;
      let y = 0;
      let z = 0;
      let sides = 0;
      const end = faceStart[f + 1];
      for (let i = faceStart[f]; i < end; i++) {
        const p = 3 * faceVertex[i];
        const q = 3 * faceVertex[i + 1 < end ? i + 1 : faceStart[f]];
        const u = xyz[p] - xyz[q];
        const v = xyz[p + 1] - xyz[q + 1];
        const w = xyz[p + 2] - xyz[q + 2];
        x += v * (xyz[p + 2] + xyz[q + 2]);
        y += w * (xyz[p] + xyz[q]);
        z += u * (xyz[p + 1] + xyz[q + 1]);
        sides += u * u + v * v + w * w;
      }
      this.store(f, x, y, z, sides);
    }
  }

  store(f, x, y, z, sides) {
    const length = Math.sqrt(x * x + y * y + z * z);
    const scale = length > THIN * sides ? 1 / length : 0;
    const { faceNormal: n, faceUnit: u } = this;
    n[3 * f] = x;
    n[3 * f + 1] = y;
    n[3 * f + 2] = z;
    u[3 * f] = scale * x;
    u[3 * f + 1] = scale * y;
    u[3 * f + 2] = scale * z;
  }

  isThin(f) {
    const u = this.faceUnit;
    return u[3 * f] === 0 && u[3 * f + 1] === 0 && u[3 * f + 2] === 0;
  }

  /* What is thin counts as a piece of a face beside it, so that the edge that it is has one line and not two. */
  borrowNormals(hull) {
    const { faceStart, faceVertex, faceCount } = hull;
    const u = this.faceUnit;
    for (let f = 0; f < faceCount; f++) {
      if (!this.isThin(f)) continue;
      for (let i = faceStart[f]; i < faceStart[f + 1]; i++) {
        const g = this.faceBeside(faceVertex[i], this.sideEnd[i], hull);
        if (g < 0 || this.isThin(g)) continue;
        for (let k = 0; k < 3; k++) u[3 * f + k] = u[3 * g + k];
        break;
      }
    }
  }

  cosineOf(f, g) {
    const u = this.faceUnit;
    return u[3 * f] * u[3 * g] + u[3 * f + 1] * u[3 * g + 1] + u[3 * f + 2] * u[3 * g + 2];
  }

  /* The faces around each vertex: those of v are around[i], aroundStart[v] <= i < aroundStart[v + 1]. */
  gatherFaces({ faceStart, faceVertex, faceCount, vertexCount }) {
    const total = faceStart[faceCount];
    this.aroundStart = room(this.aroundStart, vertexCount + 2);
    this.around = room(this.around, total);
    const { aroundStart: start, around } = this;
    start.fill(0, 0, vertexCount + 2);
    for (let i = 0; i < total; i++) start[faceVertex[i] + 2] += 1;
    for (let v = 2; v <= vertexCount + 1; v++) start[v] += start[v - 1];
    for (let f = 0; f < faceCount; f++) for (let i = faceStart[f]; i < faceStart[f + 1]; i++) around[start[faceVertex[i] + 1]++] = f;
  }

  /* Faces that bend by less than half the angle from their mean all blend with each other. */
  blendVertices({ vertexCount }) {
    this.vertexUnit = room(this.vertexUnit, 3 * vertexCount);
    const { faceNormal: n, faceUnit: u, vertexUnit, aroundStart, around, cosineHalf } = this;
    for (let v = 0; v < vertexCount; v++) {
      let x = 0;
      let y = 0;
      let z = 0;
      for (let i = aroundStart[v]; i < aroundStart[v + 1]; i++) {
        const g = 3 * around[i];
        x += n[g];
        y += n[g + 1];
        z += n[g + 2];
      }
      const length = Math.sqrt(x * x + y * y + z * z);
      let all = true;
      for (let i = aroundStart[v]; all && i < aroundStart[v + 1]; i++) {
        const g = 3 * around[i];
        all = x * u[g] + y * u[g + 1] + z * u[g + 2] > cosineHalf * length;
      }
      const scale = all ? 1 / length : 0;
      vertexUnit[3 * v] = scale * x;
      vertexUnit[3 * v + 1] = scale * y;
      vertexUnit[3 * v + 2] = scale * z;
    }
  }

  /* The normal at a corner: of this face, or of all at the vertex that blend with it. */
  putNormal(at, f, v) {
    const { normal, faceNormal: n, faceUnit: u, vertexUnit: w, aroundStart, around, cosine } = this;
    if (!this.blends) {
      for (let k = 0; k < 3; k++) normal[at + k] = u[3 * f + k];
      return;
    }
    if (w[3 * v] !== 0 || w[3 * v + 1] !== 0 || w[3 * v + 2] !== 0) {
      for (let k = 0; k < 3; k++) normal[at + k] = w[3 * v + k];
      return;
    }
    let x = n[3 * f];
    let y = n[3 * f + 1];
    let z = n[3 * f + 2];
    for (let i = aroundStart[v]; i < aroundStart[v + 1]; i++) {
      const g = around[i];
      if (g === f || this.cosineOf(f, g) <= cosine) continue;
      x += n[3 * g];
      y += n[3 * g + 1];
      z += n[3 * g + 2];
    }
    const length = Math.sqrt(x * x + y * y + z * z) || 1;
    normal[at] = x / length;
    normal[at + 1] = y / length;
    normal[at + 2] = z / length;
  }

  putCorner(at, { xyz }, f, v) {
    for (let k = 0; k < 3; k++) this.position[at + k] = xyz[3 * v + k];
    this.putNormal(at, f, v);
  }

  /* From one triangle to the next the first corner stays, and the last one becomes the second. */
  copyCorner(to, from) {
    const { position, normal } = this;
    for (let k = 0; k < 3; k++) {
      position[to + k] = position[from + k];
      normal[to + k] = normal[from + k];
    }
  }

  fillFaces(hull) {
    const { faceStart, faceVertex, faceCount } = hull;
    const triangles = Math.max(0, faceStart[faceCount] - 2 * faceCount);
    this.position = room(this.position, 9 * triangles);
    this.normal = room(this.normal, 9 * triangles);
    let at = 0;
    for (let f = 0; f < faceCount; f++) {
      const first = faceStart[f];
      for (let i = first + 1; i + 1 < faceStart[f + 1]; i++) {
        if (i === first + 1) {
          this.putCorner(at, hull, f, faceVertex[first]);
          this.putCorner(at + 3, hull, f, faceVertex[i]);
        } else {
          this.copyCorner(at, at - 9);
          this.copyCorner(at + 3, at - 3);
        }
        this.putCorner(at + 6, hull, f, faceVertex[i + 1]);
        at += 9;
      }
    }
    this.triangles = triangles;
  }

  putLine({ xyz }, v, w) {
    const at = 6 * this.lines++;
    for (let k = 0; k < 3; k++) {
      this.line[at + k] = xyz[3 * v + k];
      this.line[at + 3 + k] = xyz[3 * w + k];
    }
  }

  /* Each edge once, but none between faces that blend or lie in one plane. In the plane a hull has one face, a segment none. */
  fillEdges(hull) {
    const { faceStart, faceVertex, faceCount, vertexCount, dimension } = hull;
    const total = faceStart[faceCount];
    this.line = room(this.line, 6 * Math.max(total, 1));
    this.lines = 0;
    if (dimension === 1) this.putLine(hull, 0, vertexCount - 1);
    for (let f = 0; f < faceCount; f++) {
      for (let i = faceStart[f]; i < faceStart[f + 1]; i++) {
        const v = faceVertex[i];
        const w = this.sideEnd[i];
        const g = this.faceBeside(v, w, hull);
        if (g < 0 || (v < w && this.cosineOf(f, g) < this.cosine)) this.putLine(hull, v, w);
      }
    }
  }

  /* Where the half edge from v to w is in the table, or would be. */
  find(v, w, { faceVertex, vertexCount }) {
    const mask = this.tableSize - 1;
    let slot = Math.imul(v * vertexCount + w, 0x9e3779b1) & mask;
    for (let i = this.table[slot]; i !== EMPTY; i = this.table[slot]) {
      if (faceVertex[i] === v && this.sideEnd[i] === w) break;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  fillTable(hull) {
    const { faceStart, faceVertex, faceCount } = hull;
    const total = faceStart[faceCount];
    this.tableSize = 2 ** Math.ceil(Math.log2(2 * total + 1));
    this.table = room(this.table, this.tableSize).fill(EMPTY, 0, this.tableSize);
    this.sideFace = room(this.sideFace, total);
    this.sideEnd = room(this.sideEnd, total);
    for (let f = 0; f < faceCount; f++) {
      for (let i = faceStart[f]; i < faceStart[f + 1]; i++) {
        this.sideFace[i] = f;
        this.sideEnd[i] = faceVertex[i + 1 < faceStart[f + 1] ? i + 1 : faceStart[f]];
        this.table[this.find(faceVertex[i], this.sideEnd[i], hull)] = i;
      }
    }
  }

  /* The face on the other side of the edge from v to w, -1 if there is none. */
  faceBeside(v, w, hull) {
    const i = this.table[this.find(w, v, hull)];
    return i === EMPTY ? -1 : this.sideFace[i];
  }
}
