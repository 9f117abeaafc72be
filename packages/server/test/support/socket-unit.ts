import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import net from "node:net";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { PATIENCE_MS } from "@easel/conformance/patience";
import { PROGRAM } from "./process.ts";
import { atEnd, type Scope } from "./service.ts";

/** A shell that has a socket as file descriptor 3, and runs the service for each line that it reads, one after the other. */
const HOLDER = `
while read -r _; do
  sh -c 'echo "pid $$"; LISTEN_FDS=1 LISTEN_PID=$$ exec "$@"' sh "$@" < /dev/null
  echo "end $?"
done`;

/** What systemd does for a socket unit and its service. */
export interface SocketUnit {
  /** The address of the socket. */
  base: string;
  /** Starts the service, which must not run. Returns when it says that it listens. */
  start(): Promise<void>;
  /** Stops the service by a signal. Returns its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number>;
}

/** Opens a socket at a loopback port that stays open when the service behind it stops. `settings` are those of the service. */
export async function openSocketUnit(scope: Scope, settings: Record<string, string>): Promise<SocketUnit> {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as net.AddressInfo;
  const { fd } = (server as unknown as { _handle: { fd: number } })._handle;
  const holder = spawn("sh", ["-c", HOLDER, "sh", process.execPath, PROGRAM], {
    env: { ...process.env, SERVICE_RATELIMIT_ENABLED: "off", SERVICE_LOG_LEVEL: "warn", ...settings },
    stdio: ["pipe", "pipe", "inherit", fd],
  });
  server.close();
  const ended = once(holder, "exit");
  const lines = createInterface({ input: holder.stdout as Readable })[Symbol.asyncIterator]();
  /** Reads until a line matches. Returns what its group has. */
  const read = async (pattern: RegExp): Promise<string> => {
    const late = setTimeout(() => holder.kill("SIGKILL"), PATIENCE_MS);
    for (;;) {
      const { value = "", done } = await lines.next();
      const found = pattern.exec(value);
      assert.ok(
        done !== true && (found !== null || !value.startsWith("end")),
        `the service has ended: ${value}`,
      );
      if (found === null) continue;
      clearTimeout(late);
      return found[1] ?? "";
    }
  };
  let pid = 0;
  const stop: SocketUnit["stop"] = async (signal = "SIGTERM") => {
    process.kill(pid, signal);
    pid = 0;
    return Number(await read(/^end (\d+)$/));
  };
  atEnd(scope, async () => {
    if (pid !== 0) process.kill(pid, "SIGKILL");
    holder.kill("SIGKILL");
    await ended;
  });
  return {
    base: `http://localhost:${port}`,
    async start() {
      holder.stdin?.write("start\n");
      pid = Number(await read(/^pid (\d+)$/));
      await read(/^Easel .*at http/);
    },
    stop,
  };
}
