// The page of `make wasm` in a headless Chromium, from a file and from a server of files. Ends with 77, which CTest
// reports as skipped, where Chromium or the page are missing.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const build = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../build-wasm");
const file = path.join(build, "ooze.html");

function skip(why) {
  console.log(`skipped: ${why}`);
  process.exit(77);
}

if (!existsSync(file)) skip("there is no build-wasm/ooze.html (`make wasm`, which needs Emscripten)");
const executablePath = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
  .find((name) => name && existsSync(name));
if (!executablePath) skip("there is no Chromium (package chromium)");
const { chromium } = createRequire(path.join(build, "web/work/package.json"))("playwright-core");
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader"] });

const complaints = [], requests = [];
async function open(address) {
  const page = await browser.newPage({ viewport: { width: 720, height: 300 } });
  page.setDefaultTimeout(60000);
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => { if (!/^(blob|data):/.test(request.url())) requests.push(request.url()); });
  await page.goto(address);
  return page;
}

const data = (page) => page.evaluate(() => ({ ...document.body.dataset }));
async function until(page, accept, seconds = 60) {
  for (const end = Date.now() + 1000 * seconds; Date.now() < end;) {
    const now = await data(page);
    if (accept(now)) return now;
    await page.waitForTimeout(50);
  }
  throw new Error(`not reached: ${accept}, but ${JSON.stringify(await data(page))}`);
}

const click = (page, id) => page.evaluate((name) => document.getElementById(name).click(), id);

try {
  // From the disk: a scene and overrides in the address.
  const page = await open(`${pathToFileURL(file)}#fountain,spacing=0.012,emitters.nozzle.speed=2`);
  const moving = await until(page, (now) => now.connected === "true" && Number(now.step) > 5 && Number(now.drawn) > 2);
  assert.equal(moving.control, "true");
  assert.ok(Number(moving.particles) > 0, "the nozzle emits");
  await click(page, "play");
  await until(page, (now) => now.playing === "false");
  await click(page, "reset");
  await until(page, (now) => Number(now.step) === 0);
  for (const step of [1, 2, 3]) {
    await click(page, "step");
    const now = await until(page, (at) => Number(at.step) >= step);
    assert.equal(Number(now.step), step);
    assert.ok(Math.abs(Number(now.time) - step / 300) < 1e-9, "the step of the scene");
  }
  const [saved] = await Promise.all([page.waitForEvent("download"), click(page, "save")]);
  const yaml = readFileSync(await saved.path(), "utf8");
  assert.match(yaml, /spacing: 0\.012/);
  assert.match(yaml, /speed: 2\b/);
  const titles = await page.evaluate(() => [...document.querySelectorAll("#sceneList button")].map((button) => button.textContent));
  assert.ok(titles.includes("Clay to press, live") && titles.includes("Ice cream, live"), titles.join());
  await page.evaluate((title) => [...document.querySelectorAll("#sceneList button")]
    .find((button) => button.textContent === title).click(), "Clay to press, live");
  await until(page, (now) => Number(now.particles) === 4608);
  await page.close();

  const wrong = await open(`${pathToFileURL(file)}#nothing`);
  await wrong.waitForFunction(() => /cannot be opened/.test(document.getElementById("offline").textContent));
  await wrong.close();

  // From a server that knows nothing but the file.
  const server = createServer((request, response) => {
    response.setHeader("Content-Type", "text/html; charset=utf-8");
    response.end(readFileSync(file));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const served = await open(`http://127.0.0.1:${server.address().port}/ooze.html#jelly`);
  await until(served, (now) => Number(now.step) > 0 && Number(now.particles) === 3375);
  await served.close();
  server.close();

  assert.deepEqual(complaints, []);
  assert.equal(requests.length, 3, `the page loads nothing: ${requests.join(" ")}`);
  console.log("the page simulates from a file and from a server of files");
} finally {
  await browser.close();
}
