/** apart: signed distances of convex bodies with a proof. Lengths are half extents and half heights; the bits are those of the C library. */

export type Vec = [number, number, number];
export type Relation = 'disjoint' | 'touching' | 'overlapping' | 'beyond';
export type Stop = 'converged' | 'rounding' | 'iterations' | 'cutoff' | 'workspace';
export type Solver = 'default' | 'johnson' | 'voronoi' | 'geometric' | 'least-squares' | 'volumes';
export type Support = 'auto' | 'scan' | 'climb' | 'table';
export type Depth = 'exact' | 'bounds' | 'none';
export type FeatureKind = 'vertex' | 'edge' | 'face' | 'curved' | 'interior';

export const relations: Relation[];
export const stops: Stop[];
export const solvers: Solver[];
export const supports: Support[];
export const depths: Depth[];
export const featureKinds: FeatureKind[];
export const verdicts: ('proved' | 'refuted' | 'undecided')[];

/** Thrown for whatever the library refuses; `status` is the number of its apart_status. */
export class ApartError extends Error { status: number }

/** World frame; the normal runs from A to B; b - a = distance * normal. A pair fills one such object again and again. */
export interface Result {
  distance: number; lower: number; upper: number;
  a: Float64Array; b: Float64Array; normal: Float64Array;
  relation: Relation; stop: Stop; iterations: number; fallback: boolean; dim: number;
  /** Vertex pairs of the final simplex; null for points of curved surfaces. */
  count: number; indexA: (number | null)[]; indexB: (number | null)[]; lambda: Float64Array;
}

export interface Options {
  solver?: Solver; support?: Support; depth?: Depth;
  /** false: the solver's own answer, even with open bounds. */
  fallback?: boolean;
  maxIterations?: number; cutoff?: number; tolerance?: number;
  /** Counts the work of every query into the pair's `counts`, as the command line does. Spheres and capsules then run the loop too. */
  stats?: boolean;
}

/** One iteration, in world axes relative to the trace's origin; w = b - a. */
export interface Step {
  simplex: { indexA: number | null; indexB: number | null; a: Vec; b: Vec; lambda: number }[];
  v: Vec;
  support: { indexA: number | null; indexB: number | null; a: Vec; b: Vec };
  lower: number; upper: number; fallback: boolean;
  /** Depth search: nine numbers a triangle (simplex of 3), or a ring of points in order (simplex of 2); else empty. */
  surface: Float64Array;
}

export interface Trace { result: Result; steps: Step[]; total: number; origin: Vec; radiusA: number; radiusB: number }

export interface Feature { kind: FeatureKind; number: number | null; vertices: (number | null)[] }

/** A built hull. */
export interface Hull {
  readonly dimension: number; readonly vertexCount: number; readonly faceCount: number; readonly edgeCount: number; readonly volume: number;
  /** xyz after xyz. */
  vertices(): Float64Array;
  /** Corners counter-clockwise from outside. */
  faces(): number[][];
  /** The caller's number of a vertex. */
  inputIndex(vertex: number): number;
  /** The relocatable block, for a file. */
  block(): Uint8Array;
  free(): void;
}

/** Hulls one after another, into arrays that are used again: no garbage once they are large enough. */
export interface HullWork {
  /** Room for so many points, which `put` then writes; what was there is lost. */
  reserve(count: number): void;
  put(i: number, x: number, y: number, z: number): void;
  /** The hull of the first so many points. */
  build(count: number): void;
  readonly dimension: number; readonly vertexCount: number; readonly faceCount: number;
  /** Vertices, 3 vertexCount numbers; the corners of face f are faceVertex[i], faceStart[f] <= i < faceStart[f + 1]. */
  readonly xyz: Float64Array; readonly faceStart: Uint32Array; readonly faceVertex: Uint32Array;
  free(): void;
}

export interface Shape {
  readonly name: string; readonly dim: 2 | 3; readonly radius: number;
  /** Of hulls and meshes. */
  readonly hull: Hull | null;
  /** Of meshes: how far they are from convex, as a share of the size. */
  deviation?: number;
  /** The point farthest in a direction, in the shape's frame. */
  support(x: number, y: number, z: number): Vec;
  /** Many directions, xyz after xyz; into `points`, where given. */
  supports(directions: ArrayLike<number>, points?: Float64Array): Float64Array;
  /** The shape, and its hull. Pairs that use it must not be asked any more. */
  free(): void;
}

/** Two shapes, where they are, and how to ask. Queries allocate nothing. */
export interface Pair {
  poseA(x: number, y: number, z: number, qx?: number, qy?: number, qz?: number, qw?: number): void;
  poseB(x: number, y: number, z: number, qx?: number, qy?: number, qz?: number, qw?: number): void;
  /** Twelve numbers: rows of rotation and translation. which: 0 for A, 1 for B. */
  poseNumbers(which: 0 | 1, numbers: ArrayLike<number>): void;
  poseRows(which: 0 | 1, rows: ArrayLike<number>): void;
  setOptions(options?: Options): void;
  /** From scratch. */
  distance(): Result;
  /** From where the last tracked query ended. */
  track(): Result;
  /** The next tracked query starts from scratch. */
  forget(): void;
  /** Tracks depths of overlapping bodies too, with room for a surface of so many vertices; 0: no longer. */
  trackDepth(vertices?: number): void;
  overlap(): boolean;
  penetrationBounds(): { least: number; most: number; depth: number; normal: Vec; exact: boolean; relation: Relation };
  /** Closest features of the last answer. */
  features(): { a: Feature; b: Feature };
  /** The last answer checked by independent code. */
  verify(): { verdict: 'proved' | 'refuted' | 'undecided'; lower: number; upper: number; reason: string };
  /** A query from scratch with all its steps. */
  trace(room?: { steps?: number; surface?: number }): Trace;
  /** Of the last query, with the option `stats`. */
  readonly counts: { iterations: number; supportCalls: number; verticesVisited: number; edgesClimbed: number };
  /** The same query many times over, to measure it. */
  repeat(times: number, tracked: boolean): void;
  free(): void;
}

export interface Apart {
  readonly version: string;
  /** The command line's text: 'box:0.5,1,0.25', 'sphere:1', 'capsule:r,h', 'polygon:x,y,...', with '+r' for rounding. */
  shape(text: string): Shape;
  /** The convex hull of points, xyz after xyz. */
  hull(xyz: ArrayLike<number>, radius?: number): Shape;
  hullOfPoints(xyz: ArrayLike<number>): Hull;
  /** From known faces, counter-clockwise from outside. */
  hullOfFaces(xyz: ArrayLike<number>, faces: number[][]): Hull;
  shapeOfHull(hull: Hull, radius?: number): Shape;
  /** The hull of a mesh file: OBJ, STL, PLY, OFF, or lines "x y z"; the name's ending tells which. */
  mesh(bytes: Uint8Array, name: string, radius?: number): Shape;
  pair(a: Shape, b: Shape): Pair;
  hullWork(): HullWork;
}

export function parseShape(text: string): { name: string; kind: number; numbers: number[]; radius: number };

/** The library from the bytes of apart.wasm, or from a compiled module. */
export function load(source: BufferSource | WebAssembly.Module): Promise<Apart>;
