// Packets of bytes, see src/view/encode.h. All numbers are little-endian, as every browser is.
import type { Frame, Message, Solids, Vector } from "./messages";

function decodeFrame(bytes: ArrayBuffer): Frame {
  const view = new DataView(bytes);
  const vector = (at: number): Vector =>
    [0, 4, 8].map((k) => view.getFloat32(at + k, true)) as Vector;
  const low = vector(24), high = vector(36);
  const count = view.getUint32(56, true), solids = view.getUint32(60, true);
  const nozzles = view.getUint32(64, true);
  let at = 72;
  const poses = new Float32Array(bytes.slice(at, (at += 28 * solids)));
  const places = new Float32Array(bytes.slice(at, (at += 12 * nozzles)));
  const raw = new Uint16Array(bytes.slice(at, (at += 6 * count)));
  const rawValues = new Uint16Array(bytes.slice(at, (at += 2 * count)));
  const materials = new Uint8Array(bytes.slice(at, at + count));
  const positions = new Float32Array(3 * count), values = new Float32Array(count);
  const scale = low.map((from, k) => (high[k] - from) / 65535);
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < 3; k++) positions[3 * i + k] = low[k] + scale[k] * raw[3 * i + k];
    values[i] = rawValues[i] / 65535;
  }
  return {
    type: "frame", number: view.getUint32(4, true), time: view.getFloat64(8, true),
    step: view.getFloat64(16, true), low, high, fieldLow: view.getFloat32(48, true),
    fieldHigh: view.getFloat32(52, true), count, positions, values, materials, poses,
    nozzles: places,
  };
}

function decodeSolids(bytes: ArrayBuffer): Solids {
  const view = new DataView(bytes);
  const meshes = [];
  let at = 16;
  for (let i = 0; i < view.getUint32(8, true); i++) {
    const vertices = view.getUint32(at, true), triangles = view.getUint32(at + 4, true);
    at += 8;
    const positions = new Float32Array(bytes.slice(at, (at += 12 * vertices)));
    meshes.push({ positions, triangles: new Uint32Array(bytes.slice(at, (at += 12 * triangles))) });
  }
  return { type: "solids", meshes };
}

// A packet as a message for the page, with the arrays that are transferred to it.
export function unpack(data: string | ArrayBuffer): [Message, Transferable[]] {
  if (typeof data === "string") return [JSON.parse(data) as Message, []];
  const message = new DataView(data).getUint32(0, true) === 1 ? decodeFrame(data) : decodeSolids(data);
  const arrays = message.type === "frame"
    ? [message.positions, message.values, message.materials, message.poses, message.nozzles]
    : message.meshes.flatMap((mesh) => [mesh.positions, mesh.triangles]);
  return [message, arrays.map((array) => array.buffer as ArrayBuffer)];
}
