// local.mjs MODULE SCENES OUT: the page without a server as one file, which holds the styles, the script, the
// WebAssembly module and the files of the scenes: browsers let a page that is opened from a disk load no others.
import { build } from "esbuild";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";

const [moduleFile, scenes, out] = process.argv.slice(2);
const read = (file) => readFileSync(file, "utf8");

async function bundle(entry) {
  const done = await build({ entryPoints: [entry], bundle: true, minify: true, format: "iife", target: "es2022",
    legalComments: "none", write: false });
  return done.outputFiles[0].text;
}

// The scenes of SCENES/live, and the meshes and scenes that they name.
function files() {
  const found = {};
  const add = (file) => {
    const name = `/scenes/${path.relative(scenes, file)}`;
    if (found[name] !== undefined || !existsSync(file)) return;
    found[name] = read(file);
    if (!file.endsWith(".yaml")) return;
    for (const [, , named] of found[name].matchAll(/\b(file|include): *([\w./-]+)/g)) {
      add(path.join(path.dirname(file), named));
    }
  };
  for (const name of readdirSync(path.join(scenes, "live")).sort()) {
    if (name.endsWith(".yaml")) add(path.join(scenes, "live", name));
  }
  return found;
}

// Text that ends no element of HTML early.
function embed(text) {
  if (text.includes("<!--")) throw new Error("a script holds the beginning of a comment of HTML");
  return text.replaceAll(/<\/(script|style)/gi, "<\\/$1");
}

const worker = [read(moduleFile), `const oozeFiles=${JSON.stringify(files())};`, await bundle("src/local.ts")];
const replacements = [
  [/<link rel="icon"[^>]*>/, `<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(read("src/icon.svg"))}">`],
  [/<link rel="stylesheet"[^>]*>/, `<style>${embed(read("src/style.css"))}</style>`],
  [/<script src="app.js"[^>]*><\/script>/, ""],
  [/<\/body>/, `<script id="simulation" type="text/plain">${embed(worker.join("\n"))}</script>
<script>${embed(await bundle("src/app.ts"))}</script>
</body>`],
];
let page = read("index.html");
for (const [pattern, text] of replacements) {
  if (!pattern.test(page)) throw new Error(`index.html lacks ${pattern}`);
  page = page.replace(pattern, () => text);
}
writeFileSync(out, page);
