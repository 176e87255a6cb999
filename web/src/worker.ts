// Holds the connection: decodes packets, and connects again where it is lost.
import { unpack } from "./decode";
import type { Message } from "./messages";

const scope = self as unknown as DedicatedWorkerGlobalScope;
let socket: WebSocket | null = null;
let address = "", token = "", wait = 250;

function post(message: Message, transfer: Transferable[] = []) {
  scope.postMessage(message, transfer);
}

function connect() {
  const fresh = new WebSocket(address, "ooze");
  fresh.binaryType = "arraybuffer";
  fresh.onopen = () => {
    fresh.send(`hello ${token}`);
    socket = fresh;
    wait = 250;
    post({ type: "connected" });
  };
  fresh.onmessage = (event) => post(...unpack(event.data as string | ArrayBuffer));
  fresh.onclose = (event) => {
    socket = null;
    post({ type: "disconnected", refused: event.code === 1008 });
    setTimeout(connect, wait);
    wait = Math.min(2 * wait, 3000);
  };
}

scope.onmessage = (event: MessageEvent<{ connect?: [string, string]; send?: string }>) => {
  if (event.data.connect) {
    [address, token] = event.data.connect;
    connect();
  } else if (event.data.send && socket?.readyState === WebSocket.OPEN) {
    socket.send(event.data.send);
  }
};
