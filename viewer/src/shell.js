/* A hull on the screen that may change every frame: its triangles and edges in arrays that are used again. */
const EMPTY = -1;

/* An array with room for so many numbers: the old one, or a larger one, of whole triangles and lines. */
const room = (array, count) => (array.length >= count ? array : new array.constructor(18 * Math.ceil(count / 12)));

export class Shell {
  constructor() {
    this.position = new Float32Array(0);
    this.normal = new Float32Array(0);
    this.line = new Float32Array(0);
    this.faceNormal = new Float64Array(0); /* as long as twice the area */
    this.faceUnit = new Float64Array(0);
    this.aroundStart = new Uint32Array(0);
    this.around = new Uint32Array(0);
    this.table = new Int32Array(0); /* of half edges: where in faceVertex each begins */
    this.sideFace = new Uint32Array(0);
    this.sideEnd = new Uint32Array(0);
    this.tableSize = 0;
    this.triangles = this.lines = this.version = 0;
  }

  /* From a hull's arrays (HullWork). smooth: degrees below which neighbours blend and their edge is not drawn; 0: flat faces, all edges. */
  set(hull, smooth) {
    const cosine = smooth > 0 ? Math.cos((smooth * Math.PI) / 180) : 2;
    this.measureFaces(hull);
    if (smooth > 0) this.gatherFaces(hull);
    this.fillFaces(hull, cosine);
    this.fillEdges(hull, cosine);
    this.version += 1;
  }

  measureFaces({ xyz, faceStart, faceVertex, faceCount }) {
    this.faceNormal = room(this.faceNormal, 3 * faceCount);
    this.faceUnit = room(this.faceUnit, 3 * faceCount);
    for (let f = 0; f < faceCount; f++) {
      let x = 0;
      let y = 0;
      let z = 0;
      const end = faceStart[f + 1];
      for (let i = faceStart[f]; i < end; i++) {
        const p = 3 * faceVertex[i];
        const q = 3 * faceVertex[i + 1 < end ? i + 1 : faceStart[f]];
        x += (xyz[p + 1] - xyz[q + 1]) * (xyz[p + 2] + xyz[q + 2]);
        y += (xyz[p + 2] - xyz[q + 2]) * (xyz[p] + xyz[q]);
        z += (xyz[p] - xyz[q]) * (xyz[p + 1] + xyz[q + 1]);
      }
      this.store(f, x, y, z);
    }
  }

  store(f, x, y, z) {
    const length = Math.sqrt(x * x + y * y + z * z) || 1;
    const { faceNormal: n, faceUnit: u } = this;
    n[3 * f] = x;
    n[3 * f + 1] = y;
    n[3 * f + 2] = z;
    u[3 * f] = x / length;
    u[3 * f + 1] = y / length;
    u[3 * f + 2] = z / length;
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

  /* The normal at a corner: of all faces at the vertex that are nearly coplanar with this one. */
  putNormal(at, f, v, cosine) {
    const { normal, faceNormal: n } = this;
    let x = n[3 * f];
    let y = n[3 * f + 1];
    let z = n[3 * f + 2];
    if (cosine <= 1) {
      for (let i = this.aroundStart[v]; i < this.aroundStart[v + 1]; i++) {
        const g = this.around[i];
        if (g === f || this.cosineOf(f, g) <= cosine) continue;
        x += n[3 * g];
        y += n[3 * g + 1];
        z += n[3 * g + 2];
      }
    }
    const length = Math.sqrt(x * x + y * y + z * z) || 1;
    normal[at] = x / length;
    normal[at + 1] = y / length;
    normal[at + 2] = z / length;
  }

  putCorner(at, hull, f, i, cosine) {
    const v = hull.faceVertex[i];
    for (let k = 0; k < 3; k++) this.position[at + k] = hull.xyz[3 * v + k];
    this.putNormal(at, f, v, cosine);
  }

  fillFaces(hull, cosine) {
    const { faceStart, faceCount } = hull;
    const triangles = Math.max(0, faceStart[faceCount] - 2 * faceCount);
    this.position = room(this.position, 9 * triangles);
    this.normal = room(this.normal, 9 * triangles);
    let at = 0;
    for (let f = 0; f < faceCount; f++) {
      for (let i = faceStart[f] + 1; i + 1 < faceStart[f + 1]; i++) {
        this.putCorner(at, hull, f, faceStart[f], cosine);
        this.putCorner(at + 3, hull, f, i, cosine);
        this.putCorner(at + 6, hull, f, i + 1, cosine);
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

  /* Each edge once; where neighbours blend, only those between faces that do not. A flat hull has one face, a segment none. */
  fillEdges(hull, cosine) {
    const { faceStart, faceVertex, faceCount, vertexCount, dimension } = hull;
    const total = faceStart[faceCount];
    this.line = room(this.line, 6 * Math.max(total, 1));
    this.lines = 0;
    if (dimension === 1) this.putLine(hull, 0, vertexCount - 1);
    if (cosine <= 1 && dimension === 3) this.fillTable(hull);
    for (let f = 0; f < faceCount; f++) {
      for (let i = faceStart[f]; i < faceStart[f + 1]; i++) {
        const v = faceVertex[i];
        const w = faceVertex[i + 1 < faceStart[f + 1] ? i + 1 : faceStart[f]];
        if (dimension === 3 && (v > w || (cosine <= 1 && this.cosineOf(f, this.faceBeside(v, w, hull)) >= cosine))) continue;
        this.putLine(hull, v, w);
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

  /* The face on the other side of the edge from v to w. */
  faceBeside(v, w, hull) { return this.sideFace[this.table[this.find(w, v, hull)]]; }
}
