import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import net from "node:net";
import { test } from "node:test";
import { dropStalled, STALL_TIMEOUT_MS } from "./sockets.ts";

const CHECK_MS = 5_000;
const LONG = Buffer.alloc(64 * 1024, "x");

test("a connection whose peer reads nothing for a minute is destroyed, and no other", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const server = http.createServer((_request, response) => {
    const more = () => {
      while (!response.destroyed && response.write(LONG));
    };
    response.on("drain", more);
    more();
  });
  dropStalled(server);
  /** The sockets of the server, keyed by the port of the client. */
  const ends = new Map<number | undefined, net.Socket>();
  server.on("connection", (socket) => ends.set(socket.remotePort, socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const dial = async (request: string) => {
    const socket = net.connect((server.address() as net.AddressInfo).port, "127.0.0.1");
    socket.on("error", () => {}).pause();
    await once(socket, "connect");
    socket.write(request);
    return socket;
  };
  const isDestroyed = ({ localPort }: net.Socket) => ends.get(localPort)?.destroyed;

  const GET = "GET / HTTP/1.1\r\nHost: here\r\n\r\n";
  const [stalled, reading, idle] = await Promise.all([dial(GET), dial(GET), dial("GET / HT")]);
  let checks = 0;
  for (; !isDestroyed(stalled) && checks < 100; checks++) {
    reading.resume();
    for (let chunks = 0; chunks < 20; chunks++) await once(reading, "data");
    reading.pause();
    t.mock.timers.tick(CHECK_MS);
  }
  assert.deepEqual([stalled, reading, idle].map(isDestroyed), [true, false, false]);
  assert.ok(checks > STALL_TIMEOUT_MS / CHECK_MS, String(checks));
});
