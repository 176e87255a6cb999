"""A small WebSocket client and a runner of `ooze view`, for the tests of its server."""
import base64
import json
import os
import pathlib
import socket
import struct
import subprocess
import time

BUILD = pathlib.Path(os.environ["OOZE_BUILD_DIR"])
ROOT = pathlib.Path(__file__).resolve().parents[2]
TOKEN = "0123456789abcdef" * 2


class Viewer:
    """`ooze view` in a process of its own."""

    def __init__(self, scene, *options, port=0, threads=1, environment=None):
        self.process = subprocess.Popen(
            [BUILD / "ooze", "view", scene, "--no-browser", "--threads", str(threads),
             "--port", str(port), *options], text=True, cwd=ROOT, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=os.environ | {"OOZE_VIEW_TOKEN": TOKEN, "OOZE_DEVICE": "cpu"} |
            (environment or {}))
        line = self.process.stdout.readline()
        while line and not line.startswith("http"):
            line = self.process.stdout.readline()
        if not line:
            raise OSError(self.process.stderr.read())
        self.address = line.strip()
        self.host = self.address.split("/")[2]
        self.port = int(self.host.split(":")[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(20)
        self.process.stdout.close()
        self.process.stderr.close()

    def is_alive(self):
        return self.process.poll() is None

    def get(self, path, host=None, method="GET"):
        """Status and body of a request."""
        with socket.create_connection(("127.0.0.1", self.port), 10) as wire:
            wire.sendall(f"{method} {path} HTTP/1.1\r\nHost: {host or self.host}\r\n"
                         "Connection: close\r\n\r\n".encode("latin-1"))
            answer = b""
            try:
                while part := wire.recv(65536):
                    answer += part
            except ConnectionResetError:
                pass
        head, _, body = answer.partition(b"\r\n\r\n")
        return int(head.split()[1]) if head else 0, body, head.decode("latin-1").lower()


class Page:
    """A WebSocket connection; `status` is that of the handshake."""

    def __init__(self, viewer, host=None, origin="", token=TOKEN):
        self.state_size = 0  # bytes of the last message of the type state
        self.reads_points = True  # decodes the positions of frames
        self.wire = socket.create_connection(("127.0.0.1", viewer.port), 20)
        self.wire.settimeout(20)
        self.buffer = b""
        host = host or viewer.host
        origin = f"http://{viewer.host}" if origin == "" else origin
        lines = ["GET / HTTP/1.1", f"Host: {host}", "Upgrade: websocket", "Connection: Upgrade",
                 "Sec-WebSocket-Key: " + base64.b64encode(os.urandom(16)).decode(),
                 "Sec-WebSocket-Version: 13", "Sec-WebSocket-Protocol: ooze"]
        lines += [f"Origin: {origin}"] if origin else []
        self.status = 0
        try:
            self.wire.sendall("\r\n".join(lines + ["", ""]).encode())
            while b"\r\n\r\n" not in self.buffer:
                part = self.wire.recv(65536)
                if not part:
                    return
                self.buffer += part
        except (ConnectionError, TimeoutError):
            return
        head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
        self.status = int(head.split()[1])
        if self.status == 101 and token is not None:
            self.say(f"hello {token}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.wire.close()

    def send(self, opcode, payload, final=True):
        mask = os.urandom(4)
        size = len(payload)
        head = bytes([(0x80 if final else 0) | opcode])
        head += (bytes([0x80 | size]) if size < 126 else
                 bytes([0x80 | 126]) + struct.pack(">H", size) if size < 65536 else
                 bytes([0x80 | 127]) + struct.pack(">Q", size))
        masked = bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload))
        self.wire.sendall(head + mask + masked)

    def say(self, text):
        self.send(1, text.encode())

    def take(self, size):
        while len(self.buffer) < size:
            part = self.wire.recv(1 << 20)
            if not part:
                raise ConnectionError("closed")
            self.buffer += part
        taken, self.buffer = self.buffer[:size], self.buffer[size:]
        return taken

    def receive(self):
        """(opcode, payload) of a whole message."""
        message, kind = b"", 0
        while True:
            first, second = self.take(2)
            size = second & 127
            size = (struct.unpack(">H", self.take(2))[0] if size == 126 else
                    struct.unpack(">Q", self.take(8))[0] if size == 127 else size)
            payload = self.take(size)
            if first & 15 == 9:  # the server asks whether the page is there
                self.send(10, payload)
                continue
            message += payload
            kind = first & 15 or kind
            if first & 0x80:
                return kind, message

    def closing_code(self):
        """The code with which the server ends the connection; 0: without one."""
        try:
            while True:
                kind, payload = self.receive()
                if kind == 8:
                    return struct.unpack(">H", payload[:2])[0] if len(payload) >= 2 else 0
        except (ConnectionError, OSError):
            return 0

    def wait(self, kind, accept=lambda message: True, seconds=20):
        """The next message of that type that is accepted; frames are acknowledged."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            opcode, payload = self.receive()
            if opcode == 8:
                raise ConnectionError("ended by the server")
            if opcode == 2:
                message = decode(payload, self.reads_points)
                if message["type"] == "frame":
                    self.say(f"ack {message['number']}")
            else:
                message = json.loads(payload)
                self.state_size = len(payload) if message["type"] == "state" else self.state_size
            if message["type"] == kind and accept(message):
                return message
        raise TimeoutError(f"no {kind}")


def decode(payload, with_points=True):
    """Header and positions of a frame; see src/view/encode.h."""
    kind, number = struct.unpack_from("<II", payload)
    if kind == 2:
        return {"type": "solids", "number": number, "size": len(payload)}
    time_, step = struct.unpack_from("<dd", payload, 8)
    low, high = struct.unpack_from("<3f", payload, 24), struct.unpack_from("<3f", payload, 36)
    field = struct.unpack_from("<2f", payload, 48)
    count, solids, nozzles, _ = struct.unpack_from("<4I", payload, 56)
    poses = [struct.unpack_from("<7f", payload, 72 + 28 * i) for i in range(solids)]
    at = 72 + 28 * solids + 12 * nozzles
    raw = struct.unpack_from(f"<{3 * count}H", payload, at) if with_points else ()
    points = [tuple(low[k] + (high[k] - low[k]) * raw[3 * i + k] / 65535 for k in range(3))
              for i in range(len(raw) // 3)]
    assert len(payload) == at + 9 * count
    return {"type": "frame", "number": number, "size": len(payload), "time": time_,
            "step": int(step), "low": low, "high": high, "field": field, "count": count,
            "poses": poses, "points": points}
