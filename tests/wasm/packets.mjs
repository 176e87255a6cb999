// packets.mjs MODULE SCENE: the module behind the page without a server, without a page.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [file, scene] = process.argv.slice(2);
const module = await createRequire(import.meta.url)(file)();
const call = (name, result, ...values) =>
  module.ccall(name, result, values.map((v) => (typeof v === "string" ? "string" : "number")), values);

function packets() {
  const found = {};
  for (let size; (size = call("ooze_page_next_packet", "number")) > 0;) {
    const at = call("ooze_page_packet_bytes", "number");
    const bytes = module.HEAPU8.slice(at, at + size);
    if (call("ooze_page_packet_is_binary", "number")) {
      found[new DataView(bytes.buffer).getUint32(0, true) === 1 ? "frame" : "solids"] = bytes;
    } else {
      const message = JSON.parse(new TextDecoder().decode(bytes));
      found[message.type] = message;
    }
  }
  return found;
}

// Polls until a frame comes; 10 s are far more than a step of the scene takes.
function nextFrame() {
  const until = performance.now() + 10000;
  const found = {};
  call("ooze_page_receive", "number", "ack 1");
  while (!found.frame && performance.now() < until) {
    call("ooze_page_poll", "number");
    Object.assign(found, packets());
  }
  return found;
}

assert.match(call("ooze_page_open", "string", "/missing.yaml", ""), /missing\.yaml/);
module.FS.mkdir("/scenes");
module.FS.writeFile("/scenes/drop.yaml", readFileSync(scene));
assert.equal(call("ooze_page_open", "string", "/scenes/drop.yaml", "spacing=0.006"), "");
let found = nextFrame();
assert.equal(found.scene.title, "Drop");
assert.equal(found.scene.spacing, 0.006, "the override");
assert.equal(found.scene.solids.length, 1);
const count = found.state.particles;
assert.ok(count > 200);
assert.equal(new DataView(found.frame.buffer).getUint32(56, true), count, "particles of the frame");
assert.equal(found.frame.length, 72 + 28 + 9 * count, "poses of one solid, 9 bytes a particle");

assert.equal(call("ooze_page_receive", "number", "no message"), 0);
for (const text of ["reset", "pause", "step", "step", "step"]) {
  assert.equal(call("ooze_page_receive", "number", text), 1);
}
found = nextFrame();
while (found.state.step !== 3) found = nextFrame(); // a frame of before may be on its path
assert.equal(found.state.playing, false);
assert.ok(Math.abs(found.state.time - 3 / 200) < 1e-12);

// Reads the scene with its overrides again.
call("ooze_page_receive", "number", "restart time_step 0.0025");
do found = nextFrame(); while (!found.scene);
assert.equal(found.scene.timeStep, 0.0025);
assert.equal(found.scene.spacing, 0.006);

call("ooze_page_receive", "number", "speed 0");
call("ooze_page_receive", "number", "play");
const began = performance.now();
do found = nextFrame(); while (performance.now() - began < 1500);
assert.ok(found.state.step > 3);
call("ooze_page_receive", "number", "save");
call("ooze_page_poll", "number");
assert.match(packets().saved.yaml, /slime/);
call("ooze_page_close", null);
console.log(`${count} particles: step ${found.state.step}, ${found.state.stepsPerSecond} steps per second`);
