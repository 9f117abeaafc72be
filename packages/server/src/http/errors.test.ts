import assert from "node:assert/strict";
import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { answerClientError, discard } from "./errors.ts";

test("the rest of a rejected body is read to its end, a chunk in each turn of the event loop", async () => {
  let left = 30;
  const body = new Readable({
    highWaterMark: 1,
    read() {
      this.push(left-- > 0 ? Buffer.alloc(64 * 1024) : null);
    },
  });
  let [chunks, most] = [0, 0];
  body.on("data", () => chunks++);
  discard(body);
  while (!body.readableEnded) {
    const before = chunks;
    await nextTurn();
    most = Math.max(most, chunks - before);
  }
  assert.equal(chunks, 30);
  assert.ok(most <= 2, `${most} chunks in a turn`);
});

test("after a malformed request the connection is destroyed even if the client keeps it open", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const server = net.createServer({ allowHalfOpen: true }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const client = net.connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  t.after(() => client.destroy());
  const [socket] = (await once(server, "connection")) as [net.Socket];
  answerClientError(new Error("no HTTP"), socket, "id");
  const [answer] = (await once(client, "data")) as [Buffer];
  assert.match(answer.toString(), /^HTTP\/1\.1 400 /);
  await once(client, "end");
  assert.equal(socket.destroyed, false);
  t.mock.timers.tick(2_000);
  assert.equal(socket.destroyed, true);
});
