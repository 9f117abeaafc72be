import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type Answer, type Header, send } from "@easel/conformance/http";
import type { Person, Target } from "@easel/conformance/target";
import { auditEntry } from "../../src/organisation/audit.ts";
import { startDev } from "../support/engines.ts";
import type { TestEnv } from "../support/test-env.ts";

type Line = Record<string, unknown>;

/** Collects the lines of the log at the level `info`. */
function linesOf(t: TestContext, env: TestEnv): Line[] {
  const lines: Line[] = [];
  t.mock.method(env.log, "info", (fields: Line) => void lines.push(fields));
  return lines;
}

const security = (lines: Line[]): Line[] =>
  lines.filter((line) => "security" in line).map((line) => line.security as Line);

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const TRACED: Header = ["traceparent", `00-${TRACE}-b7ad6b7169203331-01`];
const JSON_BODY: Header = ["Content-Type", "application/json"];

const as = (
  target: Target,
  person: Person | null,
  method: string,
  path: string,
  headers: Header[] = [],
  body = "",
): Promise<Answer> =>
  send(target.base, { method, path, headers: [...(person?.headers ?? []), JSON_BODY, ...headers], body });

const idOf = async (target: Target, person: Person) =>
  String((await as(target, person, "GET", "/api/me")).json.id);

test("who signs in, who is not signed in and who signs out: with person, address and trace", async (t) => {
  const { target, env } = await startDev(t);
  const lines = linesOf(t, env);
  const ada = await target.signIn("ada@acme.test");
  await as(target, null, "POST", "/auth/dev/session", [TRACED], '{"email":"no address"}');
  const person = await idOf(target, ada);
  await as(target, ada, "POST", "/auth/logout");
  const told = security(lines);
  assert.deepEqual(
    told.map(({ requestId, ...fields }) => {
      assert.equal(typeof requestId, "string");
      return fields;
    }),
    [
      { event: "session.start", kind: "member", person, address: "127.0.0.1" },
      { event: "session.refused", reason: "not_allowed", address: "127.0.0.1", trace_id: TRACE },
      { event: "session.end", person, address: "127.0.0.1" },
    ],
  );
  assert.doesNotMatch(JSON.stringify(lines), /easel_session|no address/);
});

test("refusals say who was refused: 403, other sites, other hosts, too many, and wrong credentials", async (t) => {
  const { target, env } = await startDev(t, { SERVICE_RATELIMIT_ENABLED: "true" });
  const ada = await target.signIn("ada@acme.test");
  const person = await idOf(target, ada);
  const lines = linesOf(t, env);
  await as(target, ada, "GET", "/api/admin/audit");
  await as(target, ada, "POST", "/api/canvases", [["Origin", "https://evil.test"]], '{"title":"x"}');
  await send(target.base, { method: "GET", path: "/api/me", host: "evil.test" });
  await as(target, null, "GET", "/api/me", [["Authorization", `Bearer easel_pat_${"A".repeat(43)}`]]);
  await as(target, null, "GET", "/api/me");
  await as(target, ada, "GET", "/api/no/such");
  const told = security(lines);
  assert.deepEqual(
    told.map(({ status, code, person, route, slug }) => ({ status, code, person, route, slug })),
    [
      { status: 403, code: "PERMISSION_DENIED", person, route: "/api/admin/audit", slug: undefined },
      { status: 403, code: "CROSS_SITE_FORBIDDEN", person, route: "/api/canvases", slug: undefined },
      { status: 421, code: "MISDIRECTED", person: null, route: "/api/me", slug: undefined },
      { status: 401, code: null, person: null, route: "/api/me", slug: undefined },
    ],
  );
  for (const { address } of told) assert.equal(address, "127.0.0.1");
});

test("of each caller and code, five refusals a minute are logged; those left out are counted", async (t) => {
  const { target, env } = await startDev(t);
  const [ada, bob] = [await target.signIn("ada@acme.test"), await target.signIn("bob@acme.test")];
  const lines = linesOf(t, env);
  let now = Math.ceil(Date.now() / 60_000) * 60_000;
  env.clock = () => now;
  for (let times = 0; times < 9; times++) await as(target, ada, "GET", "/api/admin/audit");
  await as(target, bob, "GET", "/api/admin/audit");
  assert.equal(security(lines).length, 6);
  now += 60_000;
  await as(target, bob, "GET", "/api/admin/audit");
  assert.deepEqual(
    lines.flatMap(({ leftOut }) => leftOut ?? []),
    [4],
  );
});

test("the first use of an access token is told once, however many requests come at a time", async (t) => {
  const { target, env } = await startDev(t);
  const ada = await target.signIn("ada@acme.test");
  const made = await as(target, ada, "POST", "/api/tokens", [], '{"name":"CI"}');
  const lines = linesOf(t, env);
  const headers: Header[] = [["Authorization", `Bearer ${made.json.token}`]];
  const use = () => as(target, null, "GET", "/api/me", headers);
  await Promise.all([use(), use(), use()]);
  await use();
  const told = security(lines).filter(({ event }) => event === "token.first-use");
  assert.deepEqual(told, [
    { event: "token.first-use", token: made.json.id, person: await idOf(target, ada), audience: "api" },
  ]);
  assert.ok(!JSON.stringify(lines).includes(String(made.json.token)));
});

test("each entry of the audit log is a line of the log once it is written, with the same fields", async (t) => {
  const { target, env } = await startDev(t);
  const ada = await target.signIn("ada@acme.test");
  const lines = linesOf(t, env);
  await as(target, ada, "POST", "/api/canvases", [], '{"title":"Votes"}');
  const dev = await target.signIn(target.admin);
  const { entries } = (await as(target, dev, "GET", "/api/admin/audit")).json as { entries: Line[] };
  const { canvasTitle, ...entry } = entries[0] ?? {};
  assert.equal(canvasTitle, "Votes");
  assert.deepEqual(
    lines.flatMap(({ audit }) => audit ?? []),
    [entry],
  );

  // What is written in a batch is told by the caller, after the batch.
  const given = { act: "canvas.take", canvas: null, target: "x", address: "::1", details: null };
  auditEntry({ actor: { id: "a", email: "ada@acme.test" }, ...given }, env);
  assert.equal(lines.filter(({ audit }) => audit !== undefined).length, 1);
});
