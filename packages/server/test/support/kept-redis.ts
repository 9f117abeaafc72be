import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PATIENCE_MS } from "@easel/conformance/patience";
import { sendRedis, startRedis } from "./redis-server.ts";

/** The directory of the server that is kept between runs: one for each user. */
const HOME = path.join(
  existsSync("/dev/shm") ? "/dev/shm" : os.tmpdir(),
  `easel-kept-redis-${process.getuid?.() ?? ""}`,
);
const URL_FILE = path.join(HOME, "url");

/** Returns the URL of the Redis server that is kept between runs, and starts it unless it runs. It listens on loopback only. */
export async function keptRedis(program: string): Promise<string> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      // The process that creates the directory starts the server; others wait for its URL.
      mkdirSync(HOME, { mode: 0o700 });
      const { url } = await startRedis(program, [], HOME, true);
      writeFileSync(URL_FILE, url, { mode: 0o600 });
      return url;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const isStarted = existsSync(URL_FILE);
    const url = isStarted ? readFileSync(URL_FILE, "utf8") : "";
    const isRunning = url !== "" && (await sendRedis(url, ["PING"]).catch(() => null)) !== null;
    if (isRunning) return url;
    if (isStarted || Date.now() > deadline) await stopKeptRedis();
    else await sleep(100);
  }
}

/** Stops the server that is kept, and removes its files. */
export async function stopKeptRedis(): Promise<void> {
  // The server ends the connection instead of a reply.
  if (existsSync(URL_FILE))
    await sendRedis(readFileSync(URL_FILE, "utf8"), ["SHUTDOWN", "NOSAVE"]).catch(() => {});
  rmSync(HOME, { recursive: true, force: true });
}
