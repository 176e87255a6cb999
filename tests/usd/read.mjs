// Reads USD layers with TinyUSDZ and prints what it found as JSON.
//   node read.mjs READER FOLDER FILE...   READER: the folder of its package
// A file run.usda is composed with its sublayers and references, others are read alone.
import { readFileSync } from "node:fs";
import path from "node:path";

// The package is made for pages: it takes Node for one in this disguise.
process.type = "renderer";
globalThis.window = globalThis.self = globalThis;
globalThis.location = { href: "file:///" };

const [reader, folder, ...files] = process.argv.slice(2);
const { default: create } = await import(path.join(reader, "tinyusdz.js"));
const module = await create({ wasmBinary: readFileSync(path.join(reader, "tinyusdz.wasm")) });

const bytes = (name) => new Uint8Array(readFileSync(path.join(folder, name)));
const list = (names) => Array.from({ length: names.length ?? names.size() }, (_, i) => names[i] ?? names.get(i));

function compose(stage) {
  const assets = [...list(stage.extractSublayerAssetPaths()), ...list(stage.extractReferencesAssetPaths())];
  for (const name of assets) stage.setAsset(name, bytes(name));
  const sublayers = list(stage.extractSublayerAssetPaths()).length === 0 || stage.composeSublayers();
  return { assets, composed: sublayers && stage.composeReferences() && stage.layerToRenderScene() };
}

function read(name) {
  const stage = new module.TinyUSDZLoaderNative();
  const layer = new module.TinyUSDZLoaderNative();
  const ok = layer.loadAsLayerFromBinary(bytes(name), name);
  const more = !ok ? {} : name === "run.usda" ? compose(layer) : { stage: stage.loadFromBinary(bytes(name), name) };
  const drawn = name === "run.usda" ? layer : stage;
  const meshes = !ok ? [] : Array.from({ length: drawn.numMeshes() }, (_, i) => {
    const mesh = drawn.getMesh(i);
    return { path: mesh.absPath, points: Array.from(mesh.points), normals: Array.from(mesh.normals ?? []),
      indices: Array.from(mesh.faceVertexIndices), counts: Array.from(mesh.faceVertexCounts) };
  });
  return { ok, ...more, error: layer.error() || stage.error(), meshes, text: ok ? layer.layerToString() : "" };
}

console.log(JSON.stringify(Object.fromEntries(files.map((name) => [name, read(name)]))));
