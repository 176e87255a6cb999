// Joins the connection, the picture and the controls.
import * as THREE from "three";
import { mapGradient, themes } from "./colours";
import type { Message, Scene, State } from "./messages";
import { Panel, text } from "./panel";
import { Plots } from "./plots";
import { Scenes } from "./scenes";
import { Stage, type Hit } from "./stage";

const find = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
const canvas = find<HTMLCanvasElement>("view");
const body = document.body;

let scene: Scene | null = null, state: State | null = null;
let waiting = 0; // number of the frame that is to be acknowledged
let inControl = false;

// ---- connection ------------------------------------------------------------------------------

// A page without a server holds its worker, with the simulation: a file that is opened from a disk may
// not load others.
const simulation = document.getElementById("simulation")?.textContent;
const worker = simulation
  ? new Worker(URL.createObjectURL(new Blob([simulation], { type: "text/javascript" })))
  : new Worker("worker.js", { type: "module" });
const send = (message: string) => worker.postMessage({ send: message });

worker.onmessage = (event: MessageEvent<Message>) => {
  const message = event.data;
  switch (message.type) {
    case "scene": showScene(message); break;
    case "solids": stage.setSolids(message); break;
    case "state": showState(message); break;
    case "frame":
      waiting = message.number;
      stage.setFrame(message);
      showLegend(message.fieldLow, message.fieldHigh);
      break;
    case "control": showControl(message.you, message.viewers); break;
    case "notice": notice(message.text); break;
    case "saved":
      body.dataset.hash = message.hash;
      download(new Blob([message.yaml], { type: "application/yaml" }), `${fileName()}.yaml`);
      notice("The changed scene was saved. It runs to this state: ooze run FILE.");
      break;
    case "connected": connected(true); break;
    case "disconnected":
      connected(false);
      find("offline").textContent = message.refused
        ? "This address is no longer valid: open the one that ooze view has printed."
        : "The simulation is not reachable. Connecting again …";
      break;
    case "failed":
      connected(false);
      find("offline").textContent = message.text;
      break;
  }
};

function connected(yes: boolean) {
  body.dataset.connected = String(yes);
  find("offline").hidden = yes;
}

// ---- description and state -------------------------------------------------------------------

const stage = new Stage(canvas);
const panel = new Panel(find("parameters"), send);
const plots = new Plots(find("plots"));
const scenes = new Scenes(find("sceneList"), find("sceneSearch"), (index) => {
  notice("Loading the scene …");
  send(`open ${index}`);
});

function fill(select: HTMLSelectElement, options: HTMLElement[]) {
  select.replaceChildren(...options);
}

function showScene(message: Scene) {
  scene = message;
  document.title = `${message.title || "Ooze"} – ooze view`;
  find("title").textContent = message.title || "Ooze";
  stage.setScene(message);
  panel.build(message);
  plots.build(message);
  find<HTMLInputElement>("search").value = "";
  fill(find("field"), message.fields.map((field) => new Option(field.name.replaceAll("_", " "), field.name)));
  find("sceneName").textContent = message.title || "Scenes";
  find("scenes").hidden = message.scenes.length === 0;
  scenes.build(message.scenes, message.opened);
  find("timeline").hidden = message.live;
  find<HTMLInputElement>("scrub").max = String((message.frames ?? 1) - 1);
  for (const id of ["parameterSection", "tools", "undo", "save"]) find(id).hidden = !message.live;
  find("pour").hidden = !message.live || message.nozzles.length === 0;
  speeds.clear();
  find("plotSection").hidden = message.probes.length === 0;
  body.dataset.live = String(message.live);
}

function showState(message: State) {
  const before = state;
  state = message;
  body.dataset.step = String(message.step);
  body.dataset.time = String(message.time);
  body.dataset.particles = String(message.particles);
  body.dataset.playing = String(message.playing);
  body.dataset.rows = String(message.rows ?? 0);
  const play = find("play");
  play.querySelector("path")?.setAttribute("d", message.playing ? "M6 4h4v16H6zM14 4h4v16h-4z" : "M7 4v16l13-8z");
  play.setAttribute("aria-label", message.playing ? "Pause" : "Play");
  find<HTMLSelectElement>("speed").value = String(message.speed);
  find<HTMLSelectElement>("field").value = message.field;
  find<HTMLButtonElement>("undo").disabled = !message.undo;
  if (before?.field !== message.field) stage.fluid.colouring = message.field === "look" ? 0 : message.field === "material" ? 1 : 2;
  if (message.values) {
    panel.update(message.values);
    const pours = scene?.parameters.some((p, i) => p.target === "emitters" && Number(message.values?.[i]) > 0) ?? false;
    find("pour").setAttribute("aria-pressed", String(pours));
  }
  if (message.readings) plots.add(message.time, message.readings);
  if (message.frame !== undefined) {
    const scrub = find<HTMLInputElement>("scrub");
    if (document.activeElement !== scrub || message.playing) scrub.value = String(message.frame);
    find("scrubText").textContent = `frame ${message.frame}`;
    find<HTMLInputElement>("loop").checked = message.loops ?? true;
  }
  showStatus(message);
}

function showStatus(message: State) {
  const factor = message.realTimeFactor, target = message.speed;
  const slow = message.playing && target > 0 && factor > 0 && factor < 0.93 * target;
  const pace = !message.playing ? "paused" : factor === 0 ? "" : slow
    ? `runs at ${text(+factor.toPrecision(2))} of real time: slower than real` : `${text(+factor.toFixed(2))} × real time`;
  const parts = [`${message.time.toFixed(2)} s`, `${message.particles.toLocaleString("en")} particles`, pace];
  find("status").textContent = parts.filter((part) => part !== "").join(" · ");
  find("status").classList.toggle("slow", slow);
  const rows: [string, string][] = [
    ["time", `${message.time.toFixed(3)} s`], ["step", String(message.step)],
    ["particles", message.particles.toLocaleString("en")], ["steps per second", text(message.stepsPerSecond)],
    ["real-time factor", text(factor)], ["frames per second", text(rate)],
  ];
  if (message.device) rows.push(["device", `${message.device}, ${message.threads} threads`]);
  if (message.iterations) rows.push(["iterations", String(message.iterations)]);
  if (message.rows !== undefined) rows.push(["changes", String(message.rows)]);
  for (const [name, ms] of Object.entries(message.stages ?? {})) if (ms > 0) rows.push([`${name}, ms per step`, text(ms)]);
  find("numbers").replaceChildren(...rows.map(([name, value]) => {
    const row = document.createElement("tr");
    const head = Object.assign(document.createElement("th"), { scope: "row", textContent: name });
    row.append(head, Object.assign(document.createElement("td"), { textContent: value }));
    return row;
  }));
}

function showControl(you: boolean, viewers: number) {
  inControl = you;
  body.dataset.control = String(you);
  find("controlNote").hidden = you;
  body.classList.toggle("watching", !you);
  if (you && viewers > 1) notice(`You are in control; ${viewers} pages are open.`);
}

function showLegend(low: number, high: number) {
  const field = scene?.fields.find((f) => f.name === state?.field);
  const shown = field !== undefined && field.name !== "look" && field.name !== "material";
  find("legend").hidden = !shown;
  if (!shown) return;
  find("legendName").textContent = `${field.name.replaceAll("_", " ")}${field.unit ? `, ${field.unit}` : ""}`;
  const known = Number.isFinite(low); // stress and density are those of a step
  find("legendScale").hidden = !known;
  find("legendUnknown").hidden = known;
  find("legendLow").textContent = text(Math.abs(low) < 1e-6 * Math.abs(high) ? 0 : low);
  find("legendHigh").textContent = text(high);
}

let noticeTimer = 0;
function notice(sentence: string) {
  find("notice").textContent = sentence;
  find("notice").classList.add("shown");
  window.clearTimeout(noticeTimer);
  noticeTimer = window.setTimeout(() => find("notice").classList.remove("shown"), 6000);
}

// ---- buttons ---------------------------------------------------------------------------------

function fileName() {
  return (scene?.title || "ooze").toLowerCase().replace(/[^a-z0-9]+/g, "_").replace(/^_|_$/g, "") || "ooze";
}

function download(blob: Blob, name: string) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

const actions: Record<string, () => void> = {
  play: () => send(state?.playing ? "pause" : "play"),
  step: () => send("step"),
  undo: () => send("undo"),
  reset: () => send("reset"),
  save: () => send("save"),
  takeControl: () => send("control"),
  home: () => stage.home(),
  picture: () => { // with all pixels, also where fewer keep the pace
    stage.quality = 1;
    stage.resize();
    stage.render();
    canvas.toBlob((blob) => blob && download(blob, `${fileName()}.png`));
  },
  record: () => record(),
  pour: () => pour(),
  panelButton: () => {
    const hidden = body.classList.toggle("narrow");
    find("panelButton").setAttribute("aria-expanded", String(!hidden));
  },
};
for (const [id, action] of Object.entries(actions)) find(id).onclick = action;

// All nozzles at once: off, or at the speed that each had.
const speeds = new Map<number, number>();
function pour() {
  const nozzles = scene?.parameters.flatMap((p, i) => (p.target === "emitters" && p.key === "speed" ? [i] : [])) ?? [];
  const pours = nozzles.some((i) => Number(state?.values?.[i]) > 0);
  for (const i of nozzles) {
    const now = Number(state?.values?.[i]);
    if (pours) speeds.set(i, now);
    send(`set ${i} ${pours ? 0 : speeds.get(i) || +(20 * (scene?.spacing ?? 0.01)).toPrecision(3)}`);
  }
}

let recorder: MediaRecorder | null = null;
function record() {
  const button = find("record");
  if (recorder) {
    recorder.stop();
    return;
  }
  const parts: Blob[] = [];
  recorder = new MediaRecorder(canvas.captureStream(30));
  recorder.ondataavailable = (event) => parts.push(event.data);
  recorder.onstop = () => {
    download(new Blob(parts, { type: recorder?.mimeType }), `${fileName()}.webm`);
    recorder = null;
    button.textContent = "Record";
    button.setAttribute("aria-pressed", "false");
  };
  recorder.start();
  button.textContent = "Stop recording";
  button.setAttribute("aria-pressed", "true");
}

find<HTMLSelectElement>("speed").onchange = (event) => send(`speed ${(event.target as HTMLSelectElement).value}`);
find<HTMLSelectElement>("field").onchange = (event) => send(`field ${(event.target as HTMLSelectElement).value}`);
let styleChosen = false; // by the user
find<HTMLSelectElement>("style").onchange = (event) => {
  styleChosen = true;
  stage.fluid.surface = (event.target as HTMLSelectElement).value === "surface" && stage.fluid.canDrawSurface;
  stage.stale = true;
};
find<HTMLInputElement>("search").oninput = (event) => panel.filter((event.target as HTMLInputElement).value);
find<HTMLInputElement>("scrub").oninput = (event) => {
  send("pause");
  send(`seek ${(event.target as HTMLInputElement).value}`);
};
find<HTMLInputElement>("loop").onchange = (event) => send(`loop ${(event.target as HTMLInputElement).checked ? 1 : 0}`);

// ---- theme -----------------------------------------------------------------------------------

const system = window.matchMedia("(prefers-color-scheme: dark)");
function applyTheme() {
  const chosen = find<HTMLSelectElement>("theme").value;
  const name = chosen === "auto" ? (system.matches ? "dark" : "light") : (chosen as "dark" | "light");
  body.dataset.theme = name;
  stage.setTheme(themes[name]);
}
find("theme").onchange = applyTheme;
system.onchange = applyTheme;
find("legendBar").style.backgroundImage = mapGradient();

// ---- pointer and keys ------------------------------------------------------------------------

const tool = () => (document.querySelector<HTMLInputElement>("input[name=tool]:checked")?.value ?? "orbit");
let dragged: { hit: Hit; sent: number } | null = null;
let pushed: { point: THREE.Vector3; clock: number } | null = null;

const numbers = (v: THREE.Vector3) => [v.x, v.y, v.z].map((x) => +x.toPrecision(6)).join(" ");

function beginPointer(event: PointerEvent) {
  stage.controls.enabled = tool() === "orbit" || !inControl;
  if (stage.controls.enabled || event.button > 0) return;
  canvas.setPointerCapture(event.pointerId);
  if (tool() === "move") {
    const hit = stage.pick(event);
    dragged = hit && { hit, sent: 0 };
    if (!hit) notice("Begin on a solid or a nozzle to move it.");
    return;
  }
  const point = stage.pickParticle(event);
  if (!point) return;
  pushed = { point, clock: performance.now() };
  const towards = stage.viewDirection().multiplyScalar(event.altKey ? -pushSpeed() : pushSpeed());
  push(point, towards);
}

// Crosses a tenth of the picture's height within a tenth of a second.
function pushSpeed() { return 0.5 * stage.camera.position.distanceTo(stage.controls.target); }

function push(point: THREE.Vector3, velocity: THREE.Vector3) {
  const radius = 5 * (scene?.spacing ?? 0.01);
  send(`push ${numbers(stage.toScene(point))} ${+radius.toPrecision(4)} ${numbers(stage.toScene(velocity, true))}`);
}

// `last`: where the pointer leaves the screen, which is never left out.
function movePointer(event: PointerEvent, last = false) {
  const now = performance.now();
  if (dragged && (last || now - dragged.sent > 40)) {
    const at = stage.inPlane(event, dragged.hit.point);
    if (!at) return;
    const origin = dragged.hit.origin.clone().add(stage.toScene(at).sub(stage.toScene(dragged.hit.point)));
    const passed = dragged.sent ? (now - dragged.sent) / 1000 : 0.04;
    const factor = Math.min(Math.max(state?.realTimeFactor || 1, 0.02), 1);
    // no faster than the scene is large in a second: walls that jump leave fluid behind
    const ramp = Math.max(1.2 * passed * factor, origin.distanceTo(stage.placeOf(dragged.hit)) / stage.size);
    dragged.sent = now;
    send(`drag ${dragged.hit.kind} ${dragged.hit.index} ${numbers(origin)} ${+ramp.toFixed(4)}`);
  } else if (pushed && now - pushed.clock > 40) {
    const at = stage.inPlane(event, pushed.point);
    if (!at) return;
    const velocity = at.clone().sub(pushed.point).multiplyScalar(600 / (now - pushed.clock));
    velocity.clampLength(0, 2 * pushSpeed());
    if (velocity.length() > 1e-6) push(at, velocity);
    pushed = { point: at, clock: now };
  }
}

function endPointer(event: PointerEvent) {
  if (dragged?.sent) movePointer(event, true);
  dragged = pushed = null;
  stage.controls.enabled = true;
}

canvas.addEventListener("pointerdown", beginPointer, { capture: true });
canvas.addEventListener("pointermove", (event) => movePointer(event));
canvas.addEventListener("pointerup", endPointer);
canvas.addEventListener("pointercancel", endPointer);

function cycleField() {
  const select = find<HTMLSelectElement>("field");
  select.selectedIndex = (select.selectedIndex + 1) % select.options.length;
  send(`field ${select.value}`);
}

const keys: Record<string, () => void> = {
  " ": actions.play, ".": actions.step, u: actions.undo, r: actions.reset, s: actions.panelButton,
  h: actions.home, p: actions.pour, c: cycleField, "+": () => stage.zoom(0.9), "=": () => stage.zoom(0.9), "-": () => stage.zoom(1 / 0.9),
  ArrowLeft: () => stage.turn(-0.08, 0), ArrowRight: () => stage.turn(0.08, 0),
  ArrowUp: () => stage.turn(0, 0.08), ArrowDown: () => stage.turn(0, -0.08),
};
["orbit", "move", "push"].forEach((name, i) => {
  keys[String(i + 1)] = () => document.querySelector<HTMLInputElement>(`input[name=tool][value=${name}]`)?.click();
});

window.addEventListener("keydown", (event) => {
  const at = event.target as HTMLElement;
  const types = at.matches("input:not([type=radio]):not([type=checkbox]), select");
  const presses = at.matches("button, summary, input, select") && event.key === " ";
  const steers = at.matches("input") && event.key.startsWith("Arrow");
  if (types || presses || steers || event.ctrlKey || event.metaKey || event.altKey) return;
  const action = keys[event.key];
  if (action) {
    event.preventDefault();
    action();
  }
});

// ---- drawing ---------------------------------------------------------------------------------

// Keeps 30 pictures a second: first with fewer pixels, then with spheres instead of the surface.
let interval = 30, samples = -10, previous = 0, resized = true; // the first pictures compile shaders
function adapt(now: number) {
  const passed = now - previous;
  previous = now;
  if (passed > 3000 || document.hidden || ++samples < 0) return;
  interval += 0.15 * (Math.min(passed, 1000) - interval);
  if (samples < 15) return;
  if (interval > 45 && stage.quality > 0.45) stage.quality = Math.max(0.45, 0.85 * stage.quality);
  else if (interval > 150 && stage.fluid.surface && !styleChosen) {
    stage.fluid.surface = false;
    find<HTMLSelectElement>("style").value = "spheres";
    notice("Particles are drawn instead of a surface, as this device draws slowly.");
  } else if (interval < 20 && stage.quality < 1) stage.quality = Math.min(1, 1.1 * stage.quality);
  else return;
  interval = 30;
  samples = 0;
  resized = true;
}

let rate = 0, drawn = 0, since = performance.now(), plotted = 0;
function draw(now: number) {
  requestAnimationFrame(draw);
  if (resized) stage.resize(); // just before drawing: it clears the canvas
  resized = false;
  if (stage.stale || recorder) {
    stage.render();
    adapt(now);
    drawn++;
    body.dataset.drawn = String(Number(body.dataset.drawn ?? 0) + 1);
  }
  if (waiting) {
    send(`ack ${waiting}`);
    waiting = 0;
  }
  if (now - since > 1000) {
    rate = (1000 * drawn) / (now - since);
    drawn = 0;
    since = now;
  }
  if (now - plotted > 200 && !body.classList.contains("narrow")) {
    plots.draw();
    plotted = now;
  }
}

new ResizeObserver(() => { resized = true; }).observe(canvas);
// What stands above the bar begins where the bar ends: it has two rows where there is little width.
new ResizeObserver(() => body.style.setProperty("--bar", `${find("bar").offsetHeight}px`)).observe(find("bar"));
if (window.innerWidth < 700) {
  body.classList.add("narrow");
  find("panelButton").setAttribute("aria-expanded", "false");
}
if (!stage.fluid.canDrawSurface) find<HTMLSelectElement>("style").value = "spheres";
applyTheme();
stage.resize();
requestAnimationFrame(draw);
find("offline").hidden = false;
worker.postMessage({ connect: [`ws://${location.host}/`, location.hash.slice(1)] });
