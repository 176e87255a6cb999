// Bundles the page into dist/: four files, none of which loads anything from elsewhere.
import { build } from "esbuild";
import { copyFileSync, mkdirSync, rmSync } from "node:fs";

rmSync("dist", { recursive: true, force: true });
mkdirSync("dist");
const shared = { bundle: true, minify: true, format: "esm", target: "es2022", legalComments: "none" };
await build({ ...shared, entryPoints: ["src/app.ts"], outfile: "dist/app.js" });
await build({ ...shared, entryPoints: ["src/worker.ts"], outfile: "dist/worker.js" });
copyFileSync("index.html", "dist/index.html");
copyFileSync("src/style.css", "dist/style.css");
copyFileSync("src/icon.svg", "dist/icon.svg");
