// The page of `ooze view` in a headless Chromium, against the real program. Ends with 77, which CTest
// reports as skipped, where Chromium, playwright-core or the page are missing. Pictures of the page are
// kept in BUILD/view-pictures.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const build = process.env.OOZE_BUILD_DIR;
const ooze = path.join(build, "ooze"), pictures = path.join(build, "view-pictures");
const here = path.dirname(fileURLToPath(import.meta.url));
const source = path.resolve(here, "../.."), scene = path.join(here, "view.yaml");
const scratch = mkdtempSync(path.join(tmpdir(), "ooze-view-"));
const token = "00112233445566778899aabbccddeeff";
const environment = { ...process.env, OOZE_VIEW_TOKEN: token, OOZE_DEVICE: "cpu" };

function skip(why) {
  console.log(`skipped: ${why}`);
  rmSync(scratch, { recursive: true, force: true });
  process.exit(77);
}

const parts = spawnSync(ooze, ["version"], { encoding: "utf8" }).stdout;
if (!/view +yes.*page built in/.test(parts)) skip("this build has no page of ooze view");
const browserPath = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
  .find((file) => file && existsSync(file));
if (!browserPath) skip("there is no Chromium (package chromium)");
let chromium;
try {
  chromium = createRequire(path.join(build, "web/work/package.json"))("playwright-core").chromium;
} catch {
  skip("playwright-core is not installed");
}

// ---- the program and the page ----------------------------------------------------------------

const running = new Set();
async function view(what, port = 0, ...options) {
  const child = spawn(ooze, ["view", what, "--no-browser", "--threads", "1", "--port", String(port), ...options],
    { cwd: source, env: environment, stdio: ["ignore", "pipe", "inherit"] });
  running.add(child);
  child.on("exit", () => running.delete(child));
  let told = "";
  for await (const part of child.stdout) {
    told += part;
    const address = /http:\S+/.exec(told);
    if (address) return { child, address: address[0], port: Number(/:(\d+)\//.exec(address[0])[1]) };
  }
  throw new Error("ooze view ended");
}

async function stop(child, signal = "SIGTERM") {
  if (!running.has(child)) return;
  const ended = new Promise((resolve) => child.on("exit", resolve));
  child.kill(signal);
  await ended;
}

const complaints = [];
let browser;
async function open(address, width = 760, height = 460) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: "light" });
  page.setDefaultTimeout(40000);
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    // the connection is lost on purpose in one test
    if (["error", "warning"].includes(message.type()) && !/WebSocket|GPU stall/.test(message.text())) complaints.push(message.text());
  });
  await page.goto(address);
  await until(page, (data) => data.step !== undefined && Number(data.drawn) > 1);
  return page;
}

const data = (page) => page.evaluate(() => ({ ...document.body.dataset }));
async function until(page, accept, seconds = 40) {
  for (const end = Date.now() + 1000 * seconds; Date.now() < end;) {
    const now = await data(page);
    if (accept(now)) return now;
    await page.waitForTimeout(50);
  }
  throw new Error(`not reached: ${accept}, but ${JSON.stringify(await data(page))}`);
}

const probe = (page, name) => page.evaluate((wanted) => {
  const caption = document.querySelector(`figure[data-probe="${wanted}"] figcaption`)?.textContent ?? "";
  return Number(/ (-?[\d.e-]+) m$/.exec(caption)?.[1]);
}, name);

// Difference of the brightest and the darkest pixel, 0 to 255, in the middle of the picture; the backdrop
// alone has less than 40.
async function contrast(page, name) {
  const png = await page.screenshot({ path: path.join(pictures, `${name}.png`) });
  return page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes]));
    const canvas = new OffscreenCanvas(image.width, image.height), pen = canvas.getContext("2d");
    pen.drawImage(image, 0, 0);
    const w = Math.floor(image.width / 3), h = Math.floor(image.height / 2);
    const pixels = pen.getImageData(w >> 2, h >> 1, w, h).data;
    let low = 255, high = 0;
    for (let i = 1; i < pixels.length; i += 4) {
      low = Math.min(low, pixels[i]);
      high = Math.max(high, pixels[i]);
    }
    return high - low;
  }, png.toString("base64"));
}

async function slide(page, parameter, position) {
  await page.evaluate(([wanted, value]) => {
    const slider = document.querySelector(`[data-path="${wanted}"] input[type=range]`);
    slider.value = String(value);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  }, [parameter, position]);
}

// ---- tests -----------------------------------------------------------------------------------

async function loadsAndMoves(page) {
  const first = await data(page);
  assert.equal(first.particles, "150");
  const seen = await contrast(page, "surface");
  assert.ok(seen > 60, `the canvas is blank: contrast ${seen}`);
  await page.selectOption("#style", "spheres"); // faster, as this draws without a GPU
  const later = await until(page, (now) => Number(now.step) > Number(first.step) + 20);
  assert.ok(Number(later.drawn) > Number(first.drawn), "no picture was drawn");
}

async function aSliderMeltsTheIceCream(page) {
  await page.click("#reset");
  await until(page, (now) => Number(now.time) > 0.2 && Number(now.time) < 3);
  await page.waitForTimeout(400); // the curves are drawn five times a second
  const before = await probe(page, "height");
  assert.ok(before > 0.15, `it stands ${before} m high`);
  await slide(page, "materials.ice.compliance", 1);
  const told = await data(page);
  await until(page, (now) => Number(now.time) > Number(told.time) + 1.5);
  await page.waitForTimeout(400);
  const after = await probe(page, "height");
  console.log(`  height ${before} m, after 1.5 s of melting ${after} m`);
  assert.ok(after < 0.8 * before, `it fell from ${before} to ${after} m only`);
  await contrast(page, "melted");
}

async function undoRestores(page) {
  await page.click("#play");
  await until(page, (now) => now.playing === "false");
  const before = await data(page);
  await page.click("#undo");
  const after = await until(page, (now) => Number(now.step) < Number(before.step));
  await page.waitForFunction(() => document.querySelector("#undo").disabled);
  await page.waitForFunction(() => document.querySelector('[data-path="materials.ice.compliance"] input[type=text]').value === "0");
  console.log(`  from step ${before.step} back to ${after.step}`);
  await page.click("#play");
}

async function draggingTheBowlMovesTheFluid(page) {
  await page.click("#reset");
  await until(page, (now) => Number(now.time) > 0.3 && Number(now.time) < 3);
  await page.waitForTimeout(400);
  const before = await probe(page, "centre.x");
  await page.check("input[value=move]", { force: true });
  const box = await page.locator("#view").boundingBox();
  const x = box.x + 0.5 * box.width, y = box.y + 0.74 * box.height;
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let i = 1; i <= 12; i++) {
    await page.mouse.move(x + 6 * i, y);
    await page.waitForTimeout(50);
  }
  await page.mouse.up();
  let after = before;
  for (const end = Date.now() + 10000; Date.now() < end && !(after > before + 0.03);) {
    await page.waitForTimeout(100);
    after = await probe(page, "centre.x");
  }
  console.log(`  the middle of the fluid moved from ${before} to ${after} m`);
  assert.ok(after > before + 0.03, "the fluid stayed where it was");
  await contrast(page, "dragged");
  await page.check("input[value=orbit]", { force: true });
}

async function aPushMovesTheFluid(page) {
  await page.check("input[value=push]", { force: true });
  const box = await page.locator("#view").boundingBox();
  await page.mouse.click(box.x + 0.55 * box.width, box.y + 0.62 * box.height);
  await page.check("input[value=orbit]", { force: true });
}

async function savedSceneRunsToTheSameState(page) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save")]);
  const yaml = path.join(scratch, "saved.yaml"), run = path.join(scratch, "run");
  await download.saveAs(yaml);
  const { hash } = await until(page, (now) => now.hash !== undefined);
  const made = spawnSync(ooze, ["run", yaml, "-o", run, "-q", "--threads", "1"], { env: environment, encoding: "utf8" });
  assert.equal(made.status, 0, made.stderr);
  const told = spawnSync(ooze, ["info", run, "--hash"], { encoding: "utf8" }).stdout.trim();
  console.log(`  hash ${hash}`);
  assert.ok(told.includes(hash), `${told} instead of ${hash}`);
  return run;
}

async function pictureAndVideo(page) {
  const size = async (click) => {
    const [download] = await Promise.all([page.waitForEvent("download"), click()]);
    const file = path.join(scratch, download.suggestedFilename());
    await download.saveAs(file);
    return [path.extname(file), statSync(file).size];
  };
  const [kind, bytes] = await size(() => page.click("#picture"));
  assert.ok(kind === ".png" && bytes > 5000, `a picture ${kind} of ${bytes} bytes`);
  await page.click("#record");
  await page.waitForTimeout(1000);
  const [video, length] = await size(() => page.click("#record"));
  assert.ok(video === ".webm" && length > 1000, `a video ${video} of ${length} bytes`);
}

async function keyboardAlone(page) {
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press("Space");
  const paused = await until(page, (now) => now.playing === "false");
  await page.keyboard.press(".");
  await until(page, (now) => Number(now.step) === Number(paused.step) + 1);
  await page.keyboard.press("c");
  await page.keyboard.press("c");
  await page.waitForFunction(() => !document.querySelector("#legend").hidden);
  await contrast(page, "speed");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  assert.notEqual(await page.evaluate(() => document.activeElement?.id), "", "Tab reaches no control");
  const unnamed = await page.evaluate(() => [...document.querySelectorAll("button, input, select, canvas")]
    .filter((item) => !(item.getAttribute("aria-label") || item.textContent?.trim() || item.labels?.length || item.ariaLabel))
    .map((item) => item.outerHTML));
  assert.deepEqual(unnamed, [], "controls without a name");
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press("r");
  await until(page, (now) => Number(now.step) === 0);
  await page.keyboard.press("Space");
  await until(page, (now) => Number(now.step) > 0);
}

async function darkAndPhone(page) {
  await page.selectOption("#theme", "dark");
  await page.setViewportSize({ width: 390, height: 780 });
  await page.waitForTimeout(500);
  await contrast(page, "phone_panel");
  await page.click("#panelButton");
  await page.waitForTimeout(500);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), "wider than the screen");
  for (const id of ["play", "step", "undo", "reset", "panelButton"]) {
    const box = await page.locator(`#${id}`).boundingBox();
    assert.ok(box && box.x >= 0 && box.x + box.width <= 390 && box.height >= 36, `#${id} cannot be pressed`);
  }
  await contrast(page, "phone");
  await page.setViewportSize({ width: 760, height: 460 });
}

async function connectsAgain(page, viewer) {
  const before = await until(page, (now) => Number(now.step) > 200);
  await stop(viewer.child, "SIGKILL");
  await until(page, (now) => now.connected === "false");
  const again = await view(scene, viewer.port);
  const told = await until(page, (now) => now.connected === "true" && Number(now.step) < Number(before.step));
  console.log(`  connected again, step ${told.step}`);
  return again;
}

async function playsARun(run) {
  const viewer = await view(run);
  const page = await open(viewer.address);
  assert.equal((await data(page)).live, "false");
  await page.evaluate(() => {
    const scrub = document.querySelector("#scrub");
    scrub.value = "7";
    scrub.dispatchEvent(new Event("input", { bubbles: true }));
  });
  await until(page, (now) => now.step === "42" && now.playing === "false");
  await contrast(page, "playback");
  await page.click("#play");
  await until(page, (now) => Number(now.step) > 42);
  await page.close();
  await stop(viewer.child);
}

async function test(name, body) {
  const began = Date.now();
  const result = await body();
  console.log(`ok ${((Date.now() - began) / 1000).toFixed(1)} s  ${name}`);
  return result;
}

async function main() {
  mkdirSync(pictures, { recursive: true });
  browser = await chromium.launch({ executablePath: browserPath,
    args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"] });
  let viewer = await view(scene);
  const page = await test("the page loads", () => open(viewer.address));
  await test("the picture is not blank and particles move", () => loadsAndMoves(page));
  await test("a slider melts the ice cream", () => aSliderMeltsTheIceCream(page));
  await test("undo restores", () => undoRestores(page));
  await test("dragging the bowl moves the fluid", () => draggingTheBowlMovesTheFluid(page));
  await aPushMovesTheFluid(page);
  const run = await test("the saved scene runs to the same state", () => savedSceneRunsToTheSameState(page));
  await test("a picture and a video are saved", () => pictureAndVideo(page));
  await test("keyboard alone; reset restores", () => keyboardAlone(page));
  await test("dark, and the width of a phone", () => darkAndPhone(page));
  viewer = await test("the page connects again", () => connectsAgain(page, viewer));
  await page.close();
  await stop(viewer.child);
  await test("a finished run is played", () => playsARun(run));
  assert.deepEqual(complaints, [], "the page complains");
}

let failed = false;
try {
  await main();
} catch (error) {
  failed = true;
  console.error(error, complaints);
} finally {
  await browser?.close();
  for (const child of running) await stop(child, "SIGKILL");
  rmSync(scratch, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
