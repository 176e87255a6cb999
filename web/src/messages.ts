// What the program sends, see src/view and docs/view.md.
export type Vector = [number, number, number];

export interface Look {
  name: string;
  color: Vector; // linear
  look: "opaque" | "metal" | "clear" | "translucent";
  depth: number | null; // m; null: depth_share of the fluid's extent
  depth_share: number;
  refraction: number;
  roughness: number;
  coat: number;
  cloudiness: number;
}

export interface Solid extends Look {
  visible: boolean;
  container: boolean;
  dynamic: boolean;
  plane: boolean;
  normal?: Vector;
}

export interface Nozzle {
  name: string;
  direction: Vector;
  radius: number;
  movable: boolean;
}

export interface Parameter {
  path: string;
  group: string;
  target: string;
  key: string;
  unit: string;
  low: number | null; // null: infinite
  high: number | null;
  kind: "real" | "integer" | "switch" | "choice";
  help: string;
  choices?: string[];
}

export interface SceneEntry {
  folder: string;
  name: string; // of the file, without its extension
  title: string;
  smallOf: number; // index of the scene of which this is a small variant; -1: none
}

export interface Scene {
  type: "scene";
  title: string;
  method: string;
  up: number;
  spacing: number;
  duration: number;
  timeStep: number;
  frameRate: number;
  camera: (number | null)[];
  lookAt: (number | null)[];
  fieldOfView: number;
  materials: Look[];
  solids: Solid[];
  nozzles: Nozzle[];
  live: boolean;
  frames?: number;
  parameters: Parameter[];
  probes: { probe: string; column: string; unit: string }[];
  presets: { name: string; summary: string }[];
  fields: { name: string; unit: string }[];
  scenes: SceneEntry[];
  opened: number;
}

export type Value = number | string | null;

export interface State {
  type: "state";
  playing: boolean;
  speed: number;
  field: string;
  time: number;
  step: number;
  particles: number;
  stepsPerSecond: number;
  realTimeFactor: number;
  frame?: number;
  loops?: boolean;
  iterations?: number;
  substeps?: number;
  threads?: number;
  device?: string;
  undo?: number;
  rows?: number;
  stages?: Record<string, number>;
  values?: Value[];
  readings?: (number | null)[];
}

export interface Frame {
  type: "frame";
  number: number;
  time: number;
  step: number;
  low: Vector;
  high: Vector;
  fieldLow: number; // NaN: no particle has a value
  fieldHigh: number;
  count: number;
  positions: Float32Array; // 3 for each particle
  values: Float32Array; // 0 to 1 from fieldLow to fieldHigh
  materials: Uint8Array;
  poses: Float32Array; // 7 for each solid
  nozzles: Float32Array; // 3 for each nozzle
}

export interface Solids {
  type: "solids";
  meshes: { positions: Float32Array; triangles: Uint32Array }[];
}

export type Message =
  | Scene | State | Frame | Solids
  | { type: "control"; you: boolean; viewers: number }
  | { type: "notice"; text: string }
  | { type: "saved"; yaml: string; hash: string }
  | { type: "connected" }
  | { type: "disconnected"; refused: boolean }
  | { type: "failed"; text: string }; // the simulation within the page cannot begin
