import assert from "node:assert/strict";
import { once } from "node:events";
import net, { type AddressInfo, type Socket } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { type Fault, FaultProxy } from "./fault-proxy.ts";
import { atEnd } from "./service.ts";

/** Starts a server that echoes, and a proxy before it. */
async function start(
  t: TestContext,
): Promise<{ proxy: FaultProxy; dial: () => Promise<Socket>; open: Set<Socket> }> {
  const open = new Set<Socket>();
  const server = net.createServer((socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket)).on("error", () => {});
    socket.pipe(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  atEnd(t, async () => server.close());
  const proxy = await FaultProxy.start(t, (server.address() as AddressInfo).port);
  const dial = async () => {
    const socket = net.connect(proxy.port, "127.0.0.1");
    atEnd(t, async () => socket.destroy());
    await once(socket, "connect");
    return socket;
  };
  return { proxy, dial, open };
}

async function echo(socket: Socket, text: string): Promise<string> {
  socket.write(text);
  let received = "";
  while (received.length < text.length) received += String((await once(socket, "data"))[0]);
  return received;
}

/** Whether nothing arrives on a connection while `other`, to the same server, sends and receives. */
async function isSilent(socket: Socket, other: () => Promise<unknown>): Promise<boolean> {
  let isSilent = true;
  const heard = () => {
    isSilent = false;
  };
  socket.on("data", heard).on("close", heard);
  await other();
  socket.off("data", heard).off("close", heard);
  return isSilent;
}

describe("fault proxy", () => {
  it("passes bytes in order and the end of each direction", async (t) => {
    const { dial } = await start(t);
    const socket = await dial();
    const text = "abc".repeat(1_000_000);
    assert.ok((await echo(socket, text)) === text);
    socket.end();
    await once(socket, "close");
  });

  for (const fault of [
    { kind: "latency", ms: 30 },
    { kind: "slow", bytesPerSecond: 200 },
  ] satisfies Fault[])
    it(`${fault.kind}: bytes arrive later and in order, and without the fault at once`, async (t) => {
      const { proxy, dial } = await start(t);
      const socket = await dial();
      proxy.set(fault);
      const started = performance.now();
      assert.equal(await echo(socket, "123456"), "123456");
      assert.ok(performance.now() - started >= 55);
      proxy.set();
      assert.equal(await echo(socket, "7"), "7");
    });

  it("cut: open connections are reset, new ones too, and later ones pass", async (t) => {
    const { proxy, dial, open } = await start(t);
    const socket = await dial();
    await echo(socket, "a");
    const [server] = open;
    assert.ok(server);
    const closed = once(server, "close");
    proxy.set({ kind: "cut" });
    const [error] = (await once(socket, "error")) as [NodeJS.ErrnoException];
    assert.equal(error.code, "ECONNRESET");
    await closed;
    const next = net.connect(proxy.port, "127.0.0.1");
    const [again] = (await once(next, "error")) as [NodeJS.ErrnoException];
    assert.equal(again.code, "ECONNRESET");
    proxy.set();
    assert.equal(await echo(await dial(), "b"), "b");
  });

  it("black hole: nothing arrives, and everything when it has ended", async (t) => {
    const { proxy, dial } = await start(t);
    const direct = await start(t);
    const socket = await dial();
    await echo(socket, "a");
    proxy.set({ kind: "black hole" });
    socket.write("b");
    assert.ok(await isSilent(socket, async () => echo(await direct.dial(), "c")));
    const arrived = once(socket, "data");
    proxy.set();
    assert.equal(String((await arrived)[0]), "b");
  });

  it("half open: the server's side is gone, the client hears nothing, also later; new connections pass", async (t) => {
    const { proxy, dial, open } = await start(t);
    const socket = await dial();
    await echo(socket, "a");
    const [server] = open;
    assert.ok(server);
    const closed = once(server, "close");
    proxy.set({ kind: "half open" });
    await closed;
    const during = await dial();
    during.write("b");
    socket.write("c");
    proxy.set();
    for (const each of [socket, during])
      assert.ok(await isSilent(each, async () => assert.equal(await echo(await dial(), "d"), "d")));
  });
});
