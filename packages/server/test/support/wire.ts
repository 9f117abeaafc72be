import assert from "node:assert/strict";
import { once } from "node:events";
import net from "node:net";
import { PATIENCE_MS } from "@easel/conformance/patience";

/** Opens a TCP connection to a service. */
export async function dial(base: string): Promise<net.Socket> {
  const socket = net.connect(Number(new URL(base).port), "127.0.0.1");
  await once(socket, "connect");
  return socket;
}

/** Sends bytes. Returns everything that is received until the service closes the connection; fails if the service does not close it. */
export async function wire(base: string, bytes: string | Buffer): Promise<string> {
  const socket = await dial(base);
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  // A reset of the connection counts as a close.
  socket.on("error", () => {});
  socket.write(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes);
  const closed = once(socket, "close");
  const timer = setTimeout(() => socket.destroy(new Error("too late")), PATIENCE_MS);
  try {
    await closed;
  } finally {
    clearTimeout(timer);
  }
  assert.notEqual(socket.errored?.message, "too late", "the connection stays open");
  return Buffer.concat(chunks).toString("latin1");
}

/** Parses the responses on a connection, in order. */
export function answersIn(text: string): { status: number; head: string; body: string }[] {
  return text
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .filter((each) => each !== "")
    .map((each) => {
      const end = each.indexOf("\r\n\r\n");
      return { status: Number(each.slice(9, 12)), head: each.slice(0, end), body: each.slice(end + 4) };
    });
}
