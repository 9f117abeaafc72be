import { startServer } from "./child.ts";
import { compare } from "./compare.ts";
import type { Table } from "./table.ts";

const BODY = JSON.stringify({
  value: { title: "A value of ordinary size", done: false, tags: ["one", "two"] },
});
const HEAD = "HTTP/1.1\r\nHost: localhost\r\n";

/** Compares a bare server with another bare server: every ratio should be about 1. */
export async function calibrate(): Promise<Table> {
  const one = await startServer(0, "bench/bare.ts", [BODY, '{"ok":true}']);
  const other = await startServer(0, "bench/bare.ts", [BODY, '{"ok":true}']);
  try {
    const cases = [
      { name: "GET", requests: [`GET / ${HEAD}\r\n`] },
      { name: "PUT", requests: [`PUT / ${HEAD}Content-Length: ${BODY.length}\r\n\r\n${BODY}`] },
    ];
    return await compare("calibrate: bare against bare", one, other, cases, { timedMs: 1000 });
  } finally {
    await Promise.all([one.stop(), other.stop()]);
  }
}
