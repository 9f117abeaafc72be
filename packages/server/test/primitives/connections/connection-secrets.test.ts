import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { asking, type Reply } from "@easel/conformance/connections/reply";
import { manage } from "@easel/conformance/fixture";
import { devTarget } from "@easel/conformance/target";
import { NODE, PROGRAM } from "../../support/process.ts";
import { atEnd, type Scope, temporaryDirectory } from "../../support/service.ts";
import { administer, connected, putProfile } from "./connected.ts";

const UPSTREAM = path.join(import.meta.dirname, "../../../../conformance/src/connections/upstream.ts");

/** Starts a program. Returns the first line that it prints, all it has printed so far, and how to stop it. */
async function run(scope: Scope, file: string, args: string[], settings: Record<string, string>) {
  const child = spawn(NODE, [file, ...args], {
    env: { ...process.env, ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => output.push(chunk));
  const exited = once(child, "exit");
  const stop = async () => {
    child.kill("SIGTERM");
    await exited;
  };
  atEnd(scope, stop);
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return { line: line.toString().trim(), output: () => Buffer.concat(output), stop };
}

/** Returns the joined contents of the files below a directory. Only files whose names begin with `prefix` count. */
async function filesIn(directory: string, prefix = ""): Promise<Buffer> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name.startsWith(prefix));
  return Buffer.concat(
    await Promise.all(files.map(({ parentPath, name }) => readFile(path.join(parentPath, name)))),
  );
}

test("the upstream gets the protected headers; no file, log line or response has their values", async (t) => {
  const directory = await temporaryDirectory(t);
  const data = path.join(directory, "data");
  const ca = path.join(directory, "ca.pem");
  const secret = `s3cret-${randomBytes(12).toString("hex")}`;
  const key = randomBytes(32).toString("base64");
  const { line: upstream } = await run(t, UPSTREAM, [ca], {});
  const service = await run(t, PROGRAM, [], {
    SERVICE_PORT: "0",
    SERVICE_DATA_DIR: data,
    SERVICE_LOG_LEVEL: "trace",
    SERVICE_ENCRYPTION_KEY: key,
    SERVICE_CONNECTIONS_PRIVATE_CIDRS: "127.0.0.0/8,::1",
    NODE_EXTRA_CA_CERTS: ca,
  });
  const target = devTarget(/http:\S+?(?=["\s]|$)/.exec(service.line)?.[0] ?? "", "path");
  const headers = { authorization: `Bearer ${secret}`, "x-api-key": secret };
  const canvas = await connected(target);
  const { id, profile } = canvas;
  const given = { origin: upstream, headers };
  const responses: string[] = [(await putProfile(target, profile, given)).text];
  const admin = await target.signIn(target.admin);
  const asked = async (method: string, at: string, body?: object) => {
    const answer = await manage(target, admin, method, at, body);
    responses.push(JSON.stringify(answer.headers) + answer.text);
  };
  // Requests that fail: each repeats the values where an error message could show them.
  for (const body of [
    { ...given, origin: "https://10.0.0.1", methods: ["GET"] },
    { ...given, methods: ["GET"], headers: { "x bad": secret } },
    { ...given, methods: ["GET"], headers: { authorization: `${secret}\n` } },
  ])
    await asked("PUT", `/api/admin/connections/${profile}`, body);
  const replies: Reply[] = [{}, { cut: true }, { status: 500 }, { headers: { "content-encoding": "gzip" } }];
  for (const reply of replies) {
    const answer = await canvas.pages.viewer.get(`/connections/${profile}/x?${asking(reply, "secret")}`);
    responses.push(JSON.stringify(answer.headers) + answer.text);
  }
  await putProfile(target, profile, { origin: "https://localhost:1", headers });
  responses.push((await canvas.pages.viewer.get(`/connections/${profile}/x`)).text);
  await putProfile(target, profile, given);
  for (const at of ["connections", "audit", `connections/${profile}/usage`])
    await asked("GET", `/api/admin/${at}`);
  await asked("GET", `/api/canvases/${id}`);
  await asked("GET", `/api/canvases/${id}/usage`);
  await asked("GET", `/v1/c/${canvas.slug}/me`);

  const { text } = await canvas.pages.viewer.get(`/connections/${profile}/log?mark=secret`);
  assert.equal(text.split(`Bearer ${secret}`).length - 1, replies.length, "the upstream got the values");
  const running = await filesIn(data, "easel.db");
  await administer(target, "DELETE", profile);
  await service.stop();
  const log = service.output();
  assert.ok(log.includes("a Connection failed"), "the failures are in the log");
  const places = { responses: Buffer.from(responses.join("\n")), log, running, stopped: await filesIn(data) };
  for (const [place, bytes] of Object.entries(places)) {
    assert.ok(bytes.length > 1_000, place);
    for (const form of [secret, Buffer.from(secret).toString("hex"), key])
      assert.ok(!bytes.includes(form), `${place} has the values`);
    // In base64 a text has three forms, depending on where it begins.
    for (let offset = 0; offset < 3; offset++)
      assert.ok(!bytes.includes(Buffer.from(secret.slice(offset)).toString("base64").slice(0, 24)), place);
  }
});
