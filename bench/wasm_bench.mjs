// wasm_bench.mjs [SCENE[,KEY=VALUE]... [PARTICLES]]: the page of `make wasm` in a headless Chromium. Waits until there are
// so many particles, then measures for ten seconds: at the scene's speed, as fast as possible, and the worker alone,
// with a page that acknowledges frames and draws none.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const SECONDS = 10;
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const [what = "ice_cream,spacing=0.0036,emitters.dispenser.limit=5000", least = "4950"] = process.argv.slice(2);
const file = path.join(root, "build-wasm/ooze.html");
const { chromium } = createRequire(path.join(root, "build-wasm/web/work/package.json"))("playwright-core");
const executablePath = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser"]
  .find((name) => name && existsSync(name));
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--use-gl=angle",
  "--use-angle=swiftshader", "--enable-unsafe-swiftshader"] });

const data = (page) => page.evaluate(() => ({ ...document.body.dataset, clock: performance.now() / 1000 }));

async function measure(page, name, read = data) {
  const from = await read(page);
  await page.waitForTimeout(1000 * SECONDS);
  const to = await read(page);
  const rate = (key) => ((to[key] - from[key]) / (to.clock - from.clock)).toPrecision(3);
  console.log(`${name}: ${to.particles} particles, ${rate("step")} steps per second, ${rate("time")} of real time, ` +
    `${rate("drawn")} frames per second`);
}

async function untilFull(page, read = data) {
  for (const end = Date.now() + 300000; Date.now() < end;) {
    if (Number((await read(page)).particles) >= Number(least)) return;
    await page.waitForTimeout(200);
  }
  throw new Error(`there are never ${least} particles: ${JSON.stringify(await read(page))}`);
}

// The page as it is.
const page = await browser.newPage({ viewport: { width: 760, height: 460 } });
page.on("pageerror", (error) => console.log(`error: ${error.message}`));
await page.goto(`${pathToFileURL(file)}#${what}`);
await page.waitForFunction(() => document.body.dataset.step !== undefined);
await page.selectOption("#speed", "0");
await untilFull(page);
await measure(page, "page, as fast as possible");
await page.selectOption("#speed", "1");
await measure(page, "page, real time");
if (process.env.PICTURE) await page.screenshot({ path: process.env.PICTURE });
await page.close();

// Its worker alone.
const bare = await browser.newPage();
const source = /<script id="simulation"[^>]*>([^]*?)<\/script>/.exec(readFileSync(file, "utf8"))[1];
await bare.goto("about:blank");
await bare.evaluate(([text, scene]) => {
  const worker = new Worker(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
  window.counts = { drawn: 0 };
  worker.onmessage = ({ data: message }) => {
    if (message.type === "connected") worker.postMessage({ send: "speed 0" });
    if (message.type === "state") Object.assign(window.counts, message);
    if (message.type === "frame") {
      window.counts.drawn++;
      worker.postMessage({ send: `ack ${message.number}` });
    }
  };
  worker.postMessage({ connect: ["", scene] });
}, [source, what]);
const counts = (at) => at.evaluate(() => ({ ...window.counts, clock: performance.now() / 1000 }));
await untilFull(bare, counts);
await measure(bare, "worker alone, as fast as possible", counts);
const { stages } = await counts(bare);
console.log(`ms per step: ${Object.entries(stages ?? {}).filter(([, ms]) => ms > 0.05).map(([name, ms]) => `${name} ${ms.toFixed(2)}`).join(", ")}`);
await browser.close();
