// Runs the simulation within the page, as WebAssembly, in place of a connection: see docs/wasm.md. The
// script of the module and the files of the scenes stand in front of this one.
import { unpack } from "./decode";
import type { Message } from "./messages";

interface Module {
  HEAPU8: Uint8Array;
  FS: { mkdirTree(path: string): void; writeFile(path: string, data: string): void };
  ccall(name: string, result: string | null, types: string[], values: (string | number)[]): unknown;
}
declare function createOoze(options: object): Promise<Module>;
declare const oozeFiles: Record<string, string>; // text by path

const scope = self as unknown as DedicatedWorkerGlobalScope;
const folder = "/scenes/live";
let module: Module | null = null;

function post(message: Message, transfer: Transferable[] = []) {
  scope.postMessage(message, transfer);
}

function call<T extends string | number>(name: string, result: "string" | "number", ...texts: string[]) {
  return module?.ccall(name, result, texts.map(() => "string"), texts) as T;
}

function deliver() {
  for (let size; (size = call<number>("ooze_page_next_packet", "number")) > 0;) {
    const at = call<number>("ooze_page_packet_bytes", "number");
    const bytes = module!.HEAPU8.slice(at, at + size);
    const binary = call<number>("ooze_page_packet_is_binary", "number") !== 0;
    post(...unpack(binary ? bytes.buffer as ArrayBuffer : new TextDecoder().decode(bytes)));
  }
}

// Messages of the page come between two turns. Timers wait for at least 4 ms, channels do not.
const channel = new MessageChannel();
let timer = 0, queued = false;
function takeTurnSoon() {
  if (queued) return;
  clearTimeout(timer);
  queued = true;
  channel.port2.postMessage(null);
}
channel.port1.onmessage = () => {
  queued = false;
  const wait = 1000 * call<number>("ooze_page_poll", "number");
  deliver();
  if (wait > 1) timer = setTimeout(takeTurnSoon, Math.min(wait, 1000));
  else takeTurnSoon();
};

// `what`: a scene's name and overrides, such as `ice_cream,spacing=0.0036`; both may be missing.
async function open(what: string) {
  const [name, ...overrides] = decodeURIComponent(what).split(",");
  const names = Object.keys(oozeFiles).filter((path) => path.startsWith(`${folder}/`));
  const path = `${folder}/${name}.yaml`;
  module = await createOoze({});
  for (const [file, text] of Object.entries(oozeFiles)) {
    module.FS.mkdirTree(file.slice(0, file.lastIndexOf("/")));
    module.FS.writeFile(file, text);
  }
  const wrong = call<string>("ooze_page_open", "string", name ? path : names[0], overrides.join("\n"));
  if (wrong) {
    post({ type: "failed", text: `The scene cannot be opened: ${wrong}` });
    return;
  }
  post({ type: "connected" });
  post({ type: "control", you: true, viewers: 1 });
  takeTurnSoon();
}

scope.onmessage = (event: MessageEvent<{ connect?: [string, string]; send?: string }>) => {
  if (event.data.connect) {
    open(event.data.connect[1]).catch((reason: unknown) =>
      post({ type: "failed", text: `The simulation does not start here: ${String(reason)}` }));
  } else if (event.data.send && module) {
    call("ooze_page_receive", "number", event.data.send);
    takeTurnSoon();
  }
};
