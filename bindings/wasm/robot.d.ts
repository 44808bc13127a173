/** Robots: apart/robot.h as WebAssembly. */
import type { Apart, Shape } from './apart.js';

/** A recording with a robot: docs/recording.md. */
export interface Recording { shapes: object[]; bodies: object[]; robot: object; motion?: object; frames: object[] }
export interface Near {
  /** Number of the pair, and of its bodies in the recording. */
  pair: number; a: number; b: number;
  /** lower <= true distance <= upper */
  distance: number; lower: number; upper: number;
  point_a: Float64Array; point_b: Float64Array; normal: Float64Array;
}
export interface Segment { q0: ArrayLike<number>; q1: ArrayLike<number>; v0?: ArrayLike<number>; v1?: ArrayLike<number>; a0?: ArrayLike<number>; a1?: ArrayLike<number>; duration?: number }
export interface Gap { lower: number; upper: number; s: number; pair: number; a: number; b: number; queries: number }

/** The shape of a recording, null for triangles as they are. */
export function shapeOf(apart: Apart, shape: object): Shape | null;
/** Twelve numbers, rows of rotation and translation, from a pose of seven or twelve. */
export function poseRows(pose: ArrayLike<number> | null | undefined): ArrayLike<number>;

export class RobotCell {
  /** muted: pairs of bodies that are left out. */
  constructor(apart: Apart, record: Recording, shapes: (Shape | null)[], muted?: [number, number][]);
  readonly count: number;
  readonly names: string[];
  readonly variables: { name: string; kind: string; joint: number; lower: number; upper: number }[];
  readonly pairs: [number, number][];
  readonly reach: number;
  /** Seven numbers for each body, after set. */
  readonly world: Float64Array;
  /** Of the last nearestOf. */
  readonly list: Near[];
  readonly listed: number;
  readonly gradient: Float64Array;
  set(q: ArrayLike<number>): void;
  nearest(): Near;
  nearestOf(k: number): Near[];
  distance(pair: number): Near;
  /** Into gradient; false where the distance has a kink. */
  gradientOfNear(): boolean;
  /** Three numbers for each variable. */
  jacobian(link: number, point: ArrayLike<number>): Float64Array;
  linkPose(link: number): number[];
  segmentAt<T extends Float64Array | number[]>(segment: Segment, s: number, q: T): T;
  motion(segment: Segment, options?: { tolerance?: number; limit?: number | null }): Gap;
  rest(): Float64Array;
  free(): void;
}

/** A robot from files in memory, as a recording of one frame, and the notes of its reader. */
export function readRobot(apart: Apart, files: { name: string; bytes: Uint8Array }[], path: string,
  options?: { srdf?: string | null; shapes?: object[]; obstacles?: object[]; as?: number }): { record: Recording; notes: string[] };
