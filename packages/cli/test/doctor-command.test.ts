import assert from "node:assert/strict";
import { once } from "node:events";
import { chmod } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { fileScope } from "../../server/test/support/service.ts";
import type { Finding } from "../src/doctor/finding.ts";
import { addFiles, easel, folderWith, startSite } from "./support/easel.ts";

const { base, env } = await startSite(fileScope());

/** Runs `easel doctor` and returns the exit code and the results of the checks that are named. */
async function diagnose(
  checks: string[],
  options: { env?: Record<string, string>; cwd?: string } = {},
): Promise<{ code: number; found: Record<string, string>; advice: string }> {
  const { code, stdout, stderr } = await easel(["doctor", "--json"], { env, ...options });
  assert.ok(stdout !== "", stderr);
  const findings: Finding[] = JSON.parse(stdout);
  const named = findings.filter(({ check }) => checks.includes(check));
  for (const { status, advice } of findings) assert.equal(status === "ok", advice === undefined);
  assert.equal(code, findings.some(({ status }) => status === "fault") ? 1 : 0);
  return {
    code,
    found: Object.fromEntries(named.map(({ check, status }) => [check, status])),
    advice: named.map(({ advice = "" }) => advice).join(" "),
  };
}

/** Starts an HTTP server that sends the same response to every request. Returns its base URL. */
async function startServer(t: TestContext, status: number, headers: object, body = ""): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(status, { ...headers }).end(body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("a service that works", async () => {
  const checks = ["service", "clock", "https", "address", "token", "cookies", "folder"];
  const { code, found } = await diagnose(checks);
  assert.deepEqual([code, found], [0, Object.fromEntries(checks.map((check) => [check, "ok"]))]);
});

test("the output for people has a line for each check, and says what to do", async () => {
  const { code, stdout, stderr } = await easel(["doctor"], { env: { ...env, EASEL_TOKEN: "none" } });
  assert.equal(code, 1);
  assert.match(stdout, /^ok {7}Node +v\d/);
  assert.match(stdout, /\nfault {4}token .*\n +→ Run `easel login /);
  assert.match(stderr, /1 fault found\./);
});

test("no service, no sign-in, and an unreachable service", async () => {
  assert.deepEqual((await diagnose(["service"], { env: {} })).found, { service: "warning" });
  assert.deepEqual((await diagnose(["token"], { env: { EASEL_URL: base } })).found, { token: "fault" });
  const unreachable = await diagnose(["service", "token"], {
    env: { ...env, EASEL_URL: "http://127.0.0.1:1" },
  });
  assert.deepEqual(unreachable.found, { service: "fault" });
});

test("another address of the service, a redirect, and a host without Easel", async (t) => {
  const other = base.replace("localhost", "127.0.0.1");
  assert.notEqual(other, base);
  const { found, advice } = await diagnose(["address"], { env: { ...env, EASEL_URL: other } });
  assert.deepEqual(found, { address: "fault" });
  assert.ok(advice.includes(base), advice);
  const redirecting = await startServer(t, 301, { location: `${base}/healthz` });
  const redirected = await diagnose(["service", "address"], { env: { ...env, EASEL_URL: redirecting } });
  assert.deepEqual(redirected.found, { service: "fault" });
  assert.ok(redirected.advice.includes(base), redirected.advice);
  const page = await startServer(t, 200, {}, "<h1>Another server</h1>");
  assert.deepEqual((await diagnose(["service"], { env: { ...env, EASEL_URL: page } })).found, {
    service: "fault",
  });
});

for (const [minutes, status] of [
  [-5, "fault"],
  [0, "ok"],
  [5, "fault"],
] as const)
  test(`a clock that is ${minutes} minutes off: ${status}`, async (t) => {
    const date = new Date(Date.now() + minutes * 60_000).toUTCString();
    const url = await startServer(t, 200, { date }, '{"ok":true}');
    assert.deepEqual((await diagnose(["clock"], { env: { EASEL_URL: url } })).found, { clock: status });
  });

test("the environment of Node: proxy, certificates", async () => {
  const checked = async (variables: Record<string, string>) =>
    (await diagnose(["proxy", "TLS"], { env: { ...env, ...variables } })).found;
  assert.deepEqual(await checked({ HTTPS_PROXY: "http://proxy" }), { proxy: "warning", TLS: "ok" });
  assert.deepEqual(await checked({ https_proxy: "http://proxy", NODE_USE_ENV_PROXY: "1" }), {
    proxy: "ok",
    TLS: "ok",
  });
  assert.deepEqual(await checked({ NODE_TLS_REJECT_UNAUTHORIZED: "0" }), { proxy: "ok", TLS: "fault" });
  assert.deepEqual(await checked({ NODE_EXTRA_CA_CERTS: "/nonexistent.pem" }), { proxy: "ok", TLS: "fault" });
});

test("stored sign-ins that others can read", async (t) => {
  const config = await folderWith(t, "config", { "credentials.json": '{"last":null,"services":{}}' });
  const variables = { ...env, EASEL_CONFIG_DIR: config };
  await chmod(path.join(config, "credentials.json"), 0o644);
  assert.deepEqual((await diagnose(["credentials"], { env: variables })).found, { credentials: "fault" });
  await chmod(path.join(config, "credentials.json"), 0o600);
  assert.deepEqual((await diagnose(["credentials"], { env: variables })).found, { credentials: "ok" });
});

test("the folder: faults of easel.json, a missing index.html", async (t) => {
  const cwd = await folderWith(t, "ill", { "easel.json": '{"titel":"A"}' });
  const checks = ["easel.json", "folder", "project"];
  const ill = await diagnose(checks, { cwd });
  assert.deepEqual(ill.found, { "easel.json": "fault", folder: "fault", project: "ok" });
  await addFiles(cwd, { "easel.json": "{}", "index.html": "<!doctype html><title>A</title>" });
  const well = await diagnose(checks, { cwd });
  assert.deepEqual(well.found, { "easel.json": "ok", folder: "ok", project: "ok" });
});
