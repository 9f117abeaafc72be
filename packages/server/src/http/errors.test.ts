import assert from "node:assert/strict";
import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { test } from "node:test";
import { answerClientError } from "./errors.ts";

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
