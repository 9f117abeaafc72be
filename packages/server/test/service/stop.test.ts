import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { open, readFile } from "node:fs/promises";
import http from "node:http";
import path from "node:path";
import { test } from "node:test";
import { PATIENCE_MS, until } from "@easel/conformance/patience";
import { serve } from "../../src/service.ts";
import { NODE, PROGRAM, signIn, startProcess } from "../support/process.ts";
import { atEnd, type Scope, temporaryDirectory } from "../support/service.ts";

test("SIGTERM: the pending request ends, no other is accepted, and the exit code is 0", async (t) => {
  const directory = await temporaryDirectory(t);
  const { base, end } = await startProcess(t, directory);
  const headers = await signIn(base);
  const request = http.request(`${base}/v1/c/guestbook/kv/last`, {
    method: "PUT",
    headers: { ...headers, expect: "100-continue" },
  });
  request.flushHeaders();
  await once(request, "continue");
  request.write('"half of');

  const ended = end("SIGTERM");
  const answers = () =>
    fetch(`${base}/healthz`).then(
      () => true,
      () => false,
    );
  await until("it takes no more", async () => !(await answers()));
  request.end(' it"');
  const [answer] = (await once(request, "response")) as [http.IncomingMessage];
  assert.equal(answer.statusCode, 200);
  answer.resume();
  assert.equal(await ended, 0);

  const again = await startProcess(t, directory);
  const kept = await fetch(`${again.base}/v1/c/guestbook/kv/last`, { headers: await signIn(again.base) });
  assert.deepEqual(await kept.json(), { value: "half of it" });
});

test("a node that stops fails its health checks, ends idle connections with their next response, and serves meanwhile", async (t) => {
  const settings = {
    SERVICE_PORT: "0",
    SERVICE_LOG_LEVEL: "error",
    SERVICE_DATA_DIR: await temporaryDirectory(t),
  };
  const { port, stop } = await serve(settings, { seed: async () => {}, drainMs: 1_000 });
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const get = async (at: string) => {
    const request = http.get({ host: "127.0.0.1", port, path: at, agent });
    const [answer] = (await once(request, "response")) as [http.IncomingMessage];
    answer.resume();
    await once(answer, "end");
    return [answer.statusCode, answer.headers.connection, request.reusedSocket];
  };
  assert.deepEqual(await get("/healthz"), [200, "keep-alive", false]);
  const stopped = stop();
  assert.deepEqual(await get("/auth/login"), [200, "close", true]);
  for (const at of ["/healthz", "/readyz"]) assert.deepEqual(await get(at), [503, "close", false]);
  await stopped;
  await assert.rejects(get("/healthz"), { code: "ECONNREFUSED" });
});

const ROOT = path.join(import.meta.dirname, "../../../..");

/** Starts a command in the root of the repository. Returns its process and the base URL that it prints. */
async function run(t: Scope, command: string, args: string[]) {
  const settings = { SERVICE_PORT: "0", SERVICE_DATA_DIR: await temporaryDirectory(t) };
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { ...process.env, ...settings, npm_lifecycle_event: "start" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  atEnd(t, async () => child.kill("SIGKILL"));
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return { child, base: /http:\S+/.exec(line.toString())?.[0] ?? "" };
}

test("SIGTERM to the documented command stops the service with exit code 0", async (t) => {
  const docs = await readFile(path.join(ROOT, "docs/install.md"), "utf8");
  const [command = "", ...args] = /^node_modules\/\S+ .*start\.js$/m.exec(docs)?.[0].split(" ") ?? [];
  if (!existsSync(path.join(ROOT, command)))
    return t.skip("this system's Node 26 does not come with the dependencies");
  const { child, base } = await run(t, command, args);
  assert.equal((await fetch(`${base}/healthz`)).status, 200);
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  assert.deepEqual(await exited, [0, null]);
});

test("the service stops with the shell that npm started it in", async (t) => {
  const { child, base } = await run(t, "sh", ["-c", `"${NODE}" "${PROGRAM}"; true`]);
  const answers = () =>
    fetch(`${base}/healthz`).then(
      () => true,
      () => false,
    );
  assert.ok(await answers());
  // The service inherits the output of the shell, so the output closes only when both processes have ended.
  const gone = once(child, "close", { signal: AbortSignal.timeout(PATIENCE_MS) });
  child.kill("SIGTERM");
  await gone;
  assert.equal(await answers(), false);
});

test("an error that nothing has caught is a line of the log, and ends the service with 1", async (t) => {
  const directory = await temporaryDirectory(t);
  const log = path.join(directory, "service.log");
  const thrower = `process.once("SIGUSR2", () => { throw new Error("nobody has caught this"); })`;
  const settings = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(thrower)}` };
  const file = await open(log, "w");
  const { end } = await startProcess(t, directory, settings, file.fd);
  await file.close();
  assert.equal(await end("SIGUSR2"), 1);
  const lines = (await readFile(log, "utf8")).trimEnd().split("\n");
  const { level, msg, err } = JSON.parse(lines.at(-1) ?? "");
  assert.deepEqual(
    { level, msg, error: err.message },
    {
      level: "fatal",
      msg: "the service ends: nothing has caught an error",
      error: "nobody has caught this",
    },
  );
});
