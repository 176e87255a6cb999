// The page of `ooze view` in a headless Chromium, against the real program. Ends with 77, which CTest
// reports as skipped, where Chromium, playwright-core or the page are missing. Pictures of the page are
// kept in BUILD/view-pictures.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
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

// The reading of a probe once `accept` holds of it.
async function reading(page, name, accept, seconds = 30) {
  let value = NaN;
  for (const end = Date.now() + 1000 * seconds; Date.now() < end;) {
    value = await probe(page, name);
    if (accept(value)) return value;
    await page.waitForTimeout(100);
  }
  throw new Error(`${name} is ${value}: not ${accept}`);
}

// Pauses or plays: the page may still show the state before an earlier command, so that it must stay.
async function setPlaying(page, wanted) {
  for (let same = 0; same < 5;) {
    const { playing } = await data(page);
    same = playing === wanted ? same + 1 : 0;
    if (same === 0) {
      await page.click("#play");
      await until(page, (now) => now.playing !== playing);
    }
    await page.waitForTimeout(100);
  }
}

// From the beginning, until the block has come to rest.
async function restart(page) {
  await setPlaying(page, "false");
  await page.click("#reset");
  await until(page, (now) => Number(now.step) === 0);
  await setPlaying(page, "true");
  await until(page, (now) => Number(now.time) > 0.3);
  await page.waitForTimeout(400); // the curves are drawn five times a second
}

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
  await restart(page);
  const before = await probe(page, "height");
  assert.ok(before > 0.15, `it stands ${before} m high`);
  const told = await data(page), began = Date.now();
  await slide(page, "materials.ice.compliance", 1);
  await until(page, (now) => Number(now.rows) > Number(told.rows));
  console.log(`  from the slider to the first changed frame ${Date.now() - began} ms`);
  const after = await reading(page, "height", (height) => height < 0.75 * before);
  console.log(`  height ${before} m, then ${after} m`);
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
  const height = await reading(page, "height", (value) => value > 0.15);
  console.log(`  from step ${before.step} back to ${after.step}, height ${height} m`);
  await page.click("#play");
}

// Presses at a share of the canvas and moves by so many pixels.
async function drag(page, from, by) {
  const box = await page.locator("#view").boundingBox();
  const x = box.x + from[0] * box.width, y = box.y + from[1] * box.height;
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let i = 1; i <= 12; i++) {
    await page.mouse.move(x + (by * i) / 12, y);
    await page.waitForTimeout(50);
  }
  await page.mouse.up();
}

async function draggingTheBowlMovesTheFluid(page) {
  await restart(page);
  const before = await probe(page, "centre.x");
  await page.check("input[value=move]", { force: true });
  await drag(page, [0.5, 0.74], 72);
  const after = await reading(page, "centre.x", (x) => x > before + 0.03);
  console.log(`  the middle of the fluid moved from ${before} to ${after} m`);
  await contrast(page, "dragged");
}

async function draggingTheNozzleMovesTheJet(page) {
  await restart(page);
  const { particles } = await data(page);
  await page.check("input[value=move]", { force: true });
  await drag(page, [0.5, 0.25], -70); // to the left, some 0.15 m
  await page.click("#pour");
  await until(page, (now) => Number(now.particles) > 3 * Number(particles));
  const after = await reading(page, "centre.x", (x) => x < -0.06);
  console.log(`  the middle of ${particles} particles and twice as many of the moved nozzle is at ${after} m`);
  await contrast(page, "nozzle");
  await page.click("#pour");
  await page.check("input[value=orbit]", { force: true });
}

// A push goes away from the camera, a pull towards it; undo takes either back. Four clicks move the middle of
// molten ice cream by some 10 mm.
async function pushAndPullMoveTheFluid(page) {
  for (const [key, sign] of [[null, -1], ["Alt", 1]]) {
    await restart(page);
    await slide(page, "materials.ice.compliance", 1);
    await reading(page, "height", (height) => height < 0.13);
    const before = await probe(page, "centre.z");
    const box = await page.locator("#view").boundingBox();
    await page.check("input[value=push]", { force: true });
    if (key) await page.keyboard.down(key);
    for (let i = 0; i < 4; i++) await page.mouse.click(box.x + 0.5 * box.width, box.y + 0.66 * box.height);
    if (key) await page.keyboard.up(key);
    await page.check("input[value=orbit]", { force: true });
    const after = await reading(page, "centre.z", (z) => sign * (z - before) > 0.003);
    await page.click("#play");
    await until(page, (now) => now.playing === "false");
    await page.click("#undo");
    const restored = await reading(page, "centre.z", (z) => Math.abs(z - before) < 0.0015);
    await page.click("#play");
    console.log(`  ${key ? "pull" : "push"}: ${before} m, then ${after} m; after undo ${restored} m`);
  }
}

async function saysThatItIsSlow(page) {
  await page.evaluate(() => {
    const field = document.querySelector("#time_step");
    field.value = "0.00002"; // some hundred steps a second: a hundredth of real time
    field.dispatchEvent(new Event("change", { bubbles: true }));
  });
  await page.waitForFunction(() => /slower than real/.test(document.querySelector("#status.slow")?.textContent ?? ""));
  const { step } = await data(page);
  await until(page, (now) => Number(now.drawn) > 2); // pictures go on
  console.log(`  ${await page.locator("#status").textContent()}, step ${step}`);
  await contrast(page, "slow");
}

async function savedSceneRunsToTheSameState(page, name) {
  await page.evaluate(() => { delete document.body.dataset.hash; });
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save")]);
  const yaml = path.join(scratch, `${name}.yaml`), run = path.join(scratch, name);
  await download.saveAs(yaml);
  const { hash } = await until(page, (now) => now.hash !== undefined);
  const made = spawnSync(ooze, ["run", yaml, "-o", run, "-q", "--threads", "1"], { env: environment, encoding: "utf8" });
  assert.equal(made.status, 0, made.stderr);
  const told = spawnSync(ooze, ["info", run, "--hash"], { encoding: "utf8" }).stdout.trim();
  console.log(`  hash ${hash}`);
  assert.ok(told.includes(hash), `${told} instead of ${hash}`);
  return run;
}

async function setNumber(page, parameter, value) {
  await page.evaluate(([wanted, number]) => {
    const field = document.querySelector(`[data-path="${wanted}"] input[type=text]`);
    field.value = number;
    field.dispatchEvent(new Event("change", { bubbles: true }));
  }, [parameter, String(value)]);
}

async function takeSteps(page, count) {
  for (let i = 0; i < count; i++) {
    const { step } = await data(page);
    await page.click("#step");
    await until(page, (now) => Number(now.step) === Number(step) + 1);
  }
}

// A second relaxation time gives every particle one more tensor: undo must take it away again.
async function anUndoneChangeLeavesNoTrace(page) {
  await setPlaying(page, "false");
  await page.click("#reset");
  await until(page, (now) => Number(now.step) === 0 && now.rows === "0");
  await takeSteps(page, 4);
  await setNumber(page, "materials.ice.modulus_2", 200);
  await until(page, (now) => now.rows === "1");
  await takeSteps(page, 3);
  await page.click("#undo");
  await until(page, (now) => Number(now.step) === 4 && now.rows === "0");
  await savedSceneRunsToTheSameState(page, "undone");
  await setPlaying(page, "true");
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
  const { drawn } = await data(page);
  await page.click("#record");
  await page.waitForTimeout(1000);
  await until(page, (now) => Number(now.drawn) > Number(drawn) + 5);
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
  const legend = await page.locator("#legend").boundingBox(), bar = await page.locator("#bar").boundingBox();
  assert.ok(legend.y + legend.height <= bar.y, "the bar covers the legend");
  await contrast(page, "speed");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  assert.notEqual(await page.evaluate(() => document.activeElement?.id), "", "Tab reaches no control");
  await page.locator('[data-path="materials.ice.compliance"] input[type=text]').focus();
  await page.keyboard.press("Tab"); // from the number to its slider
  await page.keyboard.press("ArrowRight");
  await until(page, (now) => Number(now.rows) > Number(paused.rows));
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

// ---- other scenes ----------------------------------------------------------------------------

const scenes = {
  floating: `ooze: 2
title: A ball in cream
method: {name: conformation}
spacing: 0.03
time_step: 1/120
duration: 4
frame_rate: 20
materials: {cream: {density: 1000, modulus: 300, relaxation_time: 0.2, surface_tension: 0.01}}
fluids: [{material: cream, shape: {type: box, size: [0.24, 0.12, 0.24], position: [0, 0.08, 0]}}]
solids:
  - {name: floor, shape: {type: plane}}
  - {name: ball, density: 400, shape: {type: sphere, radius: 0.05, position: [0, 0.24, 0]}}
`,
  floating_small: `ooze: 2
include: floating.yaml
title: A ball in cream, small
duration: 1
`,
  jelly: `ooze: 2
title: A cube of jelly
method: {name: blend}
spacing: 0.03
time_step: 1/120
duration: 4
materials: {jelly: {density: 1000, fluid_share: 0.2}}
fluids: [{material: jelly, shape: {type: box, size: [0.12, 0.12, 0.12], position: [0, 0.1, 0]}}]
solids: [{name: floor, shape: {type: plane}}]
`,
  walls: `solids: [{name: wall, shape: {type: plane}}]
`,
};

async function aRefusedValueStopsNothing(page) {
  const before = await data(page);
  await page.locator('[data-path="method.pressure"]').evaluate((row) => { row.closest("details").open = true; });
  await page.selectOption('[data-path="method.pressure"] select', "grid");
  await page.waitForFunction(() => /pressure: grid does not take surface tension/.test(document.querySelector("#notice").textContent));
  await page.waitForFunction(() => document.querySelector('[data-path="method.pressure"] select').value === "density_stage");
  const after = await until(page, (now) => Number(now.step) > Number(before.step) + 10);
  assert.deepEqual([after.rows, after.playing], ["0", "true"]);
  assert.ok(await page.locator("#undo").isDisabled(), "a refused value can be undone");
}

const legend = (page) => page.evaluate(() => ["legendName", "legendLow", "legendHigh", "legendUnknown"].map((id) => {
  const item = document.getElementById(id);
  return item.offsetParent ? item.textContent : "";
}));

async function stressIsShownWhilePaused(page) {
  await until(page, (now) => Number(now.step) > 20);
  await setPlaying(page, "false");
  await page.selectOption("#field", "stress");
  await page.waitForFunction(() => Number(document.querySelector("#legendHigh").textContent) > 1);
  const shown = await legend(page);
  console.log(`  ${shown.slice(0, 3).join(" ")}`);
  assert.equal(shown[0], "stress, Pa");
  await contrast(page, "stress");
  await page.click("#reset"); // there is no step yet whose stress could be shown
  await until(page, (now) => Number(now.step) === 0);
  await page.waitForFunction(() => !document.querySelector("#legendUnknown").hidden);
  assert.deepEqual(await legend(page), ["stress, Pa", "", "", "not known before the next step"]);
  await takeSteps(page, 1);
  await page.waitForFunction(() => Number(document.querySelector("#legendHigh").textContent) > 0);
  await setPlaying(page, "true");
}

// The scenes of the folder, with the small variant beside its scene and without what others include.
async function anotherSceneIsOpened(page) {
  await page.evaluate(() => { document.querySelector("#scenes").open = false; });
  await page.click("#sceneName");
  const listed = () => page.evaluate(() => [...document.querySelectorAll(".sceneRow")].filter((row) => row.checkVisibility())
    .map((row) => [...row.querySelectorAll("button")].map((button) => button.textContent)));
  assert.deepEqual(await listed(), [["A ball in cream", "small"], ["A cube of jelly"]]);
  await page.fill("#sceneSearch", "jel cube");
  assert.deepEqual(await listed(), [["A cube of jelly"]]);
  await page.click(".sceneRow:not([hidden]) button");
  await page.waitForFunction(() => document.querySelector("#title").textContent === "A cube of jelly");
  const fields = await page.locator("#field option").allTextContents();
  assert.ok(fields.includes("density") && !fields.includes("stress"), `blend has no stress: ${fields}`);
  assert.equal(await page.locator("#field").inputValue(), "look"); // the stress of the scene before
}

async function theScenesOfTheProject() {
  const viewer = await view("scenes/live/jelly.yaml");
  const page = await open(viewer.address, 1280, 720);
  await page.click("#sceneName");
  const groups = await page.evaluate(() => [...document.querySelectorAll("#sceneList details")].map((group) => ({
    folder: group.querySelector("summary").textContent, open: group.open,
    titles: [...group.querySelectorAll("button")].map((button) => button.ariaLabel ?? button.textContent),
  })));
  const count = groups.reduce((sum, group) => sum + group.titles.length, 0);
  for (const { folder, titles } of groups) assert.equal(new Set(titles).size, titles.length, `a title twice in ${folder}`);
  assert.deepEqual(groups.filter((group) => group.open).map((group) => group.folder), ["live"]);
  assert.ok(groups.length > 8 && count > 150, `${count} scenes in ${groups.length} folders`);
  await contrast(page, "scenes");
  await page.fill("#sceneSearch", "honey");
  const found = await page.evaluate(() => [...document.querySelectorAll(".sceneRow")].filter((row) => row.checkVisibility()).length);
  console.log(`  ${count} scenes in ${groups.length} folders, ${found} of honey`);
  assert.ok(found > 2 && found < 20);
  await contrast(page, "scenes_honey");
  await page.close();
  await stop(viewer.child);
}

// Texts that do not fit into their element or into the window, and chosen options that do not fit.
const cutTexts = (page) => page.evaluate(() => {
  const pen = document.createElement("canvas").getContext("2d");
  const shown = [...document.querySelectorAll("body *")].filter((item) => item.checkVisibility() && !item.closest(".hidden"));
  const cut = shown.filter((item) => {
    if (item.matches("select")) {
      const style = getComputedStyle(item), arrow = 20;
      pen.font = style.font;
      const widest = Math.max(...[...item.options].map((option) => pen.measureText(option.text).width), 0);
      return item.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - arrow < widest;
    }
    if (item.matches("input[type=text]")) {
      const style = getComputedStyle(item);
      pen.font = style.font;
      return pen.measureText(item.value || item.placeholder).width > item.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    }
    if (item.matches("canvas, input, option, path") || item.textContent.trim() === "") return false;
    const box = item.getBoundingClientRect();
    return item.scrollWidth > item.clientWidth + 1 && item.clientWidth > 0 || box.left < 0 || box.right > window.innerWidth + 1;
  });
  return cut.map((item) => `${item.tagName} ${item.id} ${item.textContent.slice(0, 40)}`);
});

async function nothingIsCut(page) {
  await page.evaluate(() => { for (const group of document.querySelectorAll("details")) group.open = true; });
  for (const [width, height] of [[800, 600], [1280, 720]]) {
    await page.setViewportSize({ width, height });
    await page.evaluate(() => document.querySelector("#notice").classList.add("shown")); // that of the refusal
    await page.waitForTimeout(600);
    assert.deepEqual(await cutTexts(page), [], `at ${width} pixels`);
    const [notice, panel] = await Promise.all(["#notice", "#panel"].map((id) => page.locator(id).boundingBox()));
    assert.ok(notice.x >= 0 && notice.x + notice.width <= panel.x, `the panel covers the notice at ${width} pixels`);
    await contrast(page, `width_${width}`);
  }
}

async function otherScenes() {
  const folder = path.join(scratch, "other");
  mkdirSync(folder);
  for (const [name, yaml] of Object.entries(scenes)) writeFileSync(path.join(folder, `${name}.yaml`), yaml);
  const viewer = await view(path.join(folder, "floating.yaml"));
  const page = await open(viewer.address, 1000, 640);
  await page.selectOption("#style", "spheres");
  await test("a value that the scene cannot take is refused, and the simulation goes on", () => aRefusedValueStopsNothing(page));
  await test("no text is cut at 800 and 1280 pixels", () => nothingIsCut(page));
  await test("stress is shown while paused", () => stressIsShownWhilePaused(page));
  await test("another scene of the folder is opened; blend offers no stress", () => anotherSceneIsOpened(page));
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
  await test("push and pull move the fluid, and undo takes them back", () => pushAndPullMoveTheFluid(page));
  await test("dragging the nozzle moves the jet", () => draggingTheNozzleMovesTheJet(page));
  await test("dragging the bowl moves the fluid", () => draggingTheBowlMovesTheFluid(page));
  const run = await test("the saved scene runs to the same state", () => savedSceneRunsToTheSameState(page, "saved"));
  await test("a change that is undone leaves no trace in the saved scene", () => anUndoneChangeLeavesNoTrace(page));
  await test("a picture and a video are saved", () => pictureAndVideo(page));
  await test("keyboard alone; reset restores", () => keyboardAlone(page));
  await test("dark, and the width of a phone", () => darkAndPhone(page));
  viewer = await test("the page connects again", () => connectsAgain(page, viewer));
  await test("the page says that time runs slower than real", () => saysThatItIsSlow(page));
  await page.close();
  await stop(viewer.child);
  await test("a finished run is played", () => playsARun(run));
  await otherScenes();
  await test("the scenes of the project by folder and title", theScenesOfTheProject);
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
