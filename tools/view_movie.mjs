#!/usr/bin/env node
// Records the moving picture of `ooze view` in README.md: ice cream melts while its compliance is raised.
//
//   tools/view_movie.mjs [OUT.webp]     needs build/ooze with its page, Chromium and ffmpeg
//
// The simulation runs in slow motion, so that a machine without a GPU draws every picture in time.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const out = path.resolve(process.argv[2] ?? path.join(root, "docs/images/view.webp"));
const { chromium } = createRequire(path.join(root, "build/web/work/package.json"))("playwright-core");
const frames = mkdtempSync(path.join(tmpdir(), "ooze-movie-"));
const pours = 4.2, pictures = 64, stepsPerPicture = 8, rate = 12; // s, and pictures a second
const size = { width: 960, height: 540 }, slow = 0.02; // of real time, one of the page's speeds

async function start(scene) {
  const child = spawn(path.join(root, "build/ooze"), ["view", scene, "--no-browser", "--port", "0"], { cwd: root });
  let told = "";
  for await (const part of child.stdout) {
    const address = /http:\S+/.exec((told += part));
    if (address) return { child, address: address[0] };
  }
  throw new Error("ooze view ended");
}

const { child, address } = await start("scenes/live/ice_cream.yaml");
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"] });
try {
  const page = await browser.newPage({ viewport: size, colorScheme: "light" });
  page.setDefaultTimeout(600000);
  // so much time between two pictures that the page does not take it for a slow device: it keeps all pixels
  await page.addInitScript(() => {
    const request = window.requestAnimationFrame.bind(window);
    let now = 0;
    window.requestAnimationFrame = (draw) => request(() => draw((now += 3500)));
  });
  await page.goto(address);
  await page.waitForFunction(() => Number(document.body.dataset.drawn) > 1);
  await page.selectOption("#style", "spheres");
  await page.selectOption("#speed", "0");
  await page.setViewportSize({ width: 160, height: 120 }); // drawing takes no time from the simulation
  await page.waitForFunction((time) => Number(document.body.dataset.time) > time, pours);
  await page.keyboard.press(" ");
  await page.waitForFunction(() => document.body.dataset.playing === "false");
  await page.setViewportSize(size);
  await page.selectOption("#speed", String(slow));
  await page.click("#pour");
  await page.selectOption("#style", "surface");
  await page.fill("#search", "compliance");
  await page.evaluate(() => document.querySelector('[data-path="materials.ice.compliance"]').scrollIntoView({ block: "center" }));
  await page.evaluate(() => document.activeElement?.blur());
  await page.click("#home");
  await page.evaluate(() => document.activeElement?.blur());
  await page.mouse.move(300, 150);
  await page.keyboard.press("+");
  await page.keyboard.press(" ");
  // two seconds later the line under the title tells the speed of the last second
  const first = await page.evaluate(() => Number(document.body.dataset.step));
  await page.waitForFunction(() => / × real time/.test(document.querySelector("#status").textContent));
  for (let k = 0; k < pictures; k++) {
    const raised = Math.min(Math.max((k - 8) / 24, 0), 1);
    await page.evaluate((value) => {
      const slider = document.querySelector('[data-path="materials.ice.compliance"] input[type=range]');
      if (Number(slider.value) === value) return;
      slider.value = String(value);
      slider.dispatchEvent(new Event("input", { bubbles: true }));
    }, raised);
    await page.waitForFunction((step) => Number(document.body.dataset.step) >= step, first + stepsPerPicture * (k + 1));
    await page.screenshot({ path: path.join(frames, `${String(k).padStart(3, "0")}.png`) });
  }
  execFileSync("ffmpeg", ["-y", "-loglevel", "error", "-framerate", String(rate), "-i", path.join(frames, "%03d.png"),
    "-c:v", "libwebp_anim", "-quality", "80", "-compression_level", "6", "-loop", "0", out]);
} finally {
  await browser.close();
  child.kill();
  rmSync(frames, { recursive: true, force: true });
}
