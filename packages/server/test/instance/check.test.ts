import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { before, describe, test } from "node:test";
import { health } from "../../src/commands/ask-health.ts";
import { checkAll } from "../../src/commands/check.ts";
import { readConfig } from "../../src/config/config.ts";
import { Signer } from "../../src/crypto/secrets.ts";
import { issueTicket } from "../../src/crypto/tickets.ts";
import { openDb } from "../../src/drivers/index.ts";
import { CHECK_HEADER } from "../../src/http/arrival.ts";
import { migrateStores } from "../../src/open-instance.ts";
import { serve } from "../../src/service.ts";
import { freePort } from "../support/postgres-server.ts";
import { atEnd, ENGINES, fileScope, type Scope, temporaryDirectory } from "../support/service.ts";

const SECRET = "a secret of the tests that is long enough";

/** What a proxy does wrong. */
interface Faults {
  host?: string;
  removesUpgrade?: boolean;
  bodyMax?: number;
  isSilent?: boolean;
  forwardedFor?: string | null;
}

/** Starts a proxy on a free port, which passes requests on to the port of `target`. */
async function startProxy(scope: Scope, target: { port: number }, faults: Faults) {
  const server = http.createServer((request, response) => {
    if (faults.isSilent) return void response.writeHead(502).end("<h1>Bad gateway</h1>");
    if (Number(request.headers["content-length"] ?? 0) > (faults.bodyMax ?? Number.POSITIVE_INFINITY))
      return void response.writeHead(413).end("<h1>Too large</h1>");
    const headers: http.OutgoingHttpHeaders = { ...request.headers };
    if (faults.host !== undefined) headers.host = faults.host;
    if (faults.removesUpgrade) {
      delete headers.upgrade;
      headers.connection = "close";
    }
    if (faults.forwardedFor !== null) headers["x-forwarded-for"] = faults.forwardedFor ?? "192.0.2.7";
    const { method = "", url = "" } = request;
    const passed = http.request({
      host: "127.0.0.1",
      port: target.port,
      method,
      path: url,
      headers,
      agent: false,
    });
    passed.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    passed.on("error", () => response.writeHead(502).end("<h1>Bad gateway</h1>"));
    request.pipe(passed);
  });
  // A server without listeners for upgrades gets them as ordinary requests.
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  atEnd(scope, async () => void server.close().closeAllConnections());
  return (server.address() as AddressInfo).port;
}

describe("check", () => {
  const scope = fileScope();
  const faults: Faults = {};
  const target = { port: 0 };
  let settings: Record<string, string>;

  before(async () => {
    const port = await startProxy(scope, target, faults);
    settings = {
      SERVICE_DATA_DIR: await temporaryDirectory(scope),
      SERVICE_SESSION_SECRET: SECRET,
      SERVICE_BASE_URL: `http://easel.localhost:${port}`,
      SERVICE_URL_MODE: "subdomain",
      SERVICE_PROXY_TRUSTED_IPS: "127.0.0.1",
    };
    const service = await serve(
      { ...settings, SERVICE_PORT: "0", SERVICE_LOG_LEVEL: "silent" },
      { seed: async () => {}, drainMs: 0 },
    );
    atEnd(scope, () => service.stop());
    target.port = service.port;
    settings.SERVICE_PORT = String(service.port);
  });

  async function rowsWith(wrong: Faults, more: Record<string, string> = {}) {
    Object.assign(faults, wrong);
    const rows = await checkAll({ ...settings, ...more });
    for (const name of Object.keys(wrong)) delete faults[name as keyof Faults];
    return rows;
  }

  test("a service behind a proxy that changes nothing: every row is ok", async () => {
    const rows = await rowsWith({});
    assert.deepEqual(
      rows.filter(({ state }) => state !== "ok"),
      [],
    );
    for (const name of [
      "database",
      "blobs",
      "disk",
      "bus",
      "address",
      "canvas hosts",
      "large body",
      "WebSocket",
    ])
      assert.ok(
        rows.some((row) => row.name === name),
        name,
      );
    assert.match(JSON.stringify(rows), /seen as 192\.0\.2\.7/);
  });

  for (const [what, wrong, name, message] of [
    [
      "replaces Host",
      { host: "127.0.0.1:3000" },
      "address",
      /gets the host `127.0.0.1:3000`.*proxy_set_header Host/,
    ],
    ["limits bodies", { bodyMax: 1_000_000 }, "large body", /client_max_body_size/],
    ["removes Upgrade", { removesUpgrade: true }, "WebSocket", /pass on the headers/],
    ["does not reach it", { isSilent: true }, "address", /answers 502/],
  ] as [string, Faults, string, RegExp][])
    test(`a proxy that ${what} is a failure that says what to change`, async () => {
      const rows = await rowsWith(wrong);
      const row = rows.find((each) => each.name === name && each.state === "failed");
      assert.match(row?.message ?? JSON.stringify(rows), message);
    });

  test("a proxy that is not trusted is a failure, and a service with another secret is told apart", async () => {
    const untrusted = await rowsWith({}, { SERVICE_PROXY_TRUSTED_IPS: "10.0.0.0/8" });
    const row = untrusted.find(({ name }) => name === "client address");
    assert.equal(row?.state, "failed");
    assert.match(row?.message ?? "", /127\.0\.0\.1, counts as .* add it to SERVICE_PROXY_TRUSTED_IPS/);
    const other = await rowsWith({}, { SERVICE_SESSION_SECRET: "another secret of the tests that is long" });
    assert.match(other.at(-1)?.message ?? "", /no.* service with this SERVICE_SESSION_SECRET/);
    assert.equal(other.at(-1)?.state, "failed");
  });

  test("mistakes in the settings are rows, and nothing else is checked", async () => {
    const rows = await rowsWith({}, { SERVICE_PORT: "x", SERVICE_WORKERS: "0" });
    assert.deepEqual(
      rows.map(({ name, state }) => [name, state]),
      [
        ["settings", "failed"],
        ["settings", "failed"],
      ],
    );
  });

  test("how a request arrives is told to tickets of the secret only, while they are valid", async () => {
    const ask = (ticket?: string) =>
      fetch(`http://127.0.0.1:${target.port}/healthz`, {
        headers: ticket === undefined ? {} : { [CHECK_HEADER]: ticket },
      }).then((answer) => answer.text());
    const issue = (secret: string, purpose: "check" | "upload", lifetime: number) =>
      issueTicket(purpose, { id: "" }, {}, { signer: new Signer([secret]), clock: Date.now }, lifetime);
    assert.match(await ask(issue(SECRET, "check", 60_000)), /"peer"/);
    for (const ticket of [
      undefined,
      "x.y",
      issue(SECRET, "check", -1),
      issue(SECRET, "upload", 60_000),
      issue("another secret of the tests that is long", "check", 60_000),
    ])
      assert.equal(await ask(ticket), '{"ok":true}');
  });

  test("before the first start nothing is made; afterwards pending migrations are named and not applied", async (t) => {
    const directory = path.join(await temporaryDirectory(t), "new");
    const own = { SERVICE_DATA_DIR: directory, SERVICE_PORT: String(await freePort()) };
    const rows = await checkAll(own);
    assert.match(rows.find(({ name }) => name === "database")?.message ?? "", /not there yet/);
    assert.equal(existsSync(directory), false);
    assert.match(await migrateStores(own, true), /not there yet/);
    assert.match(await migrateStores(own, false), /^Applied:\n {2}0001/);
    const db = await openDb(readConfig(own), assert.ifError);
    await db.run`delete from migrations where name = '0065_releases.sql'`;
    for (const text of [
      await migrateStores(own, true),
      (await checkAll(own)).find(({ name }) => name === "database")?.message,
    ])
      assert.match(text ?? "", /0065_releases\.sql/);
    assert.deepEqual(await db.all`select name from migrations where name = '0065_releases.sql'`, []);
    await db.close();
  });

  test("without a service, the way to it is checked by what listens in its place, and nothing listens there afterwards", async (t) => {
    const own = { port: await freePort() };
    const wrong: Faults = {};
    const proxy = await startProxy(t, own, wrong);
    const given = {
      ...settings,
      SERVICE_PORT: String(own.port),
      SERVICE_BASE_URL: `http://easel.localhost:${proxy}`,
    };
    const [missing, ...way] = (await checkAll(given)).slice(5);
    assert.deepEqual([missing?.name, missing?.state], ["service", "warning"]);
    assert.match(missing?.message ?? "", /none runs/);
    assert.deepEqual(
      way.map(({ name, state }) => `${name} ${state}`),
      ["address", "client address", "canvas hosts", "large body", "WebSocket"].map((name) => `${name} ok`),
    );
    wrong.removesUpgrade = true;
    const [last] = (await checkAll(given)).slice(-1);
    assert.deepEqual([last?.name, last?.state], ["WebSocket", "failed"]);
    await assert.rejects(fetch(`http://127.0.0.1:${own.port}/`), /fetch failed/);
    const { message } =
      (await checkAll({ ...given, SERVICE_BASE_URL: "http://easel.localhost:1" })).at(-1) ?? {};
    assert.match(message ?? "", /ECONNREFUSED.*must lead to the service at/);
  });

  const postgres = ENGINES.find(({ name }) => name === "postgres");
  test("a database that is missing is told with what to do", { skip: postgres?.skip }, async (t) => {
    const missing = new URL((await postgres?.migratedDatabase(t)) ?? "");
    missing.pathname = "/nowhere";
    const rows = await checkAll({ ...settings, SERVICE_DATABASE_URL: missing.href });
    const row = rows.find(({ name }) => name === "database");
    assert.equal(row?.state, "failed");
    assert.match(row?.message ?? "", /"nowhere" does not exist: create it, empty, for the user .*createdb/);
  });

  test("health succeeds only if the service answers", async () => {
    const environment = { SERVICE_PORT: String(target.port) };
    await health.run({ args: [], options: {}, environment });
    await assert.rejects(
      health.run({ args: [], options: {}, environment: { SERVICE_PORT: "1" } }),
      /does not answer/,
    );
  });
});
