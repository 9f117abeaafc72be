import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { beforeEach, it } from "node:test";
import { manage } from "@easel/conformance/fixture";
import { refused } from "@easel/conformance/refusal";
import { devTarget } from "@easel/conformance/target";
import { Sealer } from "../../src/crypto/secrets.ts";
import { DestinationBlocked, UpstreamFailure } from "../../src/drivers/outbound/outbound.ts";
import { freshProfile } from "../organisation/connection-stores.ts";
import { ScriptedOutbound } from "../primitives/connections/scripted-outbound.ts";
import { onSqlite } from "../support/engines.ts";
import { startExternalApi } from "../support/external-api.ts";
import { startService } from "../support/service.ts";

const SECRET = "marked-as-a-secret";

await onSqlite(
  "test calls of Connections",
  (target, env) => {
    let upstream: ScriptedOutbound;
    let profile: string;
    beforeEach(async () => {
      upstream = new ScriptedOutbound();
      env.outbound = upstream;
      profile = freshProfile();
      await put({ headers: { "x-key": SECRET } });
    });
    const administer = async (method: string, path: string, body?: object) =>
      manage(target, await target.signIn(target.admin), method, `/api/admin/connections/${path}`, body);
    const put = (fields: object = {}) =>
      administer("PUT", profile, {
        origin: "https://api.test",
        methods: ["POST"],
        enabled: false,
        ...fields,
      });
    const test = (body: object = {}, name = profile) =>
      administer("POST", `${name}/test`, { method: "GET", path: "/", ...body });

    it("the request has the protected headers; the response is status, time and size alone", async () => {
      upstream.onSend = ({ respond }) => respond(`body ${SECRET}`, { headers: { "x-echo": SECRET } });
      const answer = await test({ path: `/v1/a%20b?q=${SECRET}&r=1` });
      assert.equal(answer.status, 200, answer.text);
      const { ms, ...rest } = answer.json;
      assert.deepEqual(rest, { status: 200, code: null, message: null, bytes: 5 + SECRET.length });
      assert.ok(Number.isInteger(ms) && Number(ms) >= 0);
      assert.ok(!JSON.stringify([answer.text, answer.headers]).includes(SECRET));
      const { request } = upstream.sent[0] ?? assert.fail("nothing was sent");
      assert.deepEqual(
        [request.method, request.origin, request.path, request.body],
        ["GET", "https://api.test", `/v1/a%20b?q=${SECRET}&r=1`, null],
      );
      assert.deepEqual(request.headers, [
        ["accept", "*/*"],
        ["user-agent", "Easel"],
        ["accept-encoding", "identity"],
        ["x-key", SECRET],
      ]);
    });

    it("a protected header replaces that of the service", async () => {
      await put({ headers: { "User-Agent": "ours" } });
      upstream.onSend = ({ respond }) => respond("");
      await test({ method: "HEAD" });
      const agents = upstream.sent[0]?.request.headers.filter(([name]) => name === "user-agent");
      assert.deepEqual(agents, [["user-agent", "ours"]]);
    });

    it("the audit log has profile, path and outcome, without the query", async () => {
      upstream.onSend = ({ respond }) => respond("x", { status: 404 });
      await test({ path: `/v1/find?key=${SECRET}` });
      const row = await env.db.get<{ target: string; details: string }>`
        select target, details from audit where act = 'connection.test' order by id desc limit 1`;
      assert.equal(row?.target, profile);
      assert.deepEqual(JSON.parse(row?.details ?? ""), {
        method: "GET",
        path: "/v1/find",
        status: 404,
        code: null,
      });
    });

    const failures: [what: string, code: string, end: (sent: ScriptedOutbound["sent"][number]) => void][] = [
      ["a blocked address", "DESTINATION_BLOCKED", ({ fail }) => fail(new DestinationBlocked(SECRET))],
      ["an unreachable server", "UPSTREAM_UNAVAILABLE", ({ fail }) => fail(new UpstreamFailure(SECRET))],
      [
        "a compressed body",
        "DESTINATION_BLOCKED",
        ({ respond }) => respond("x", { headers: { "content-encoding": "gzip" } }),
      ],
      ["a large body", "RESPONSE_TOO_LARGE", ({ respond }) => respond(Buffer.alloc(2 * 1024 * 1024 + 1))],
      [
        "an announced large body",
        "RESPONSE_TOO_LARGE",
        ({ respond }) => respond("x", { headers: { "content-length": "99999999" } }),
      ],
      [
        "a redirect elsewhere",
        "DESTINATION_BLOCKED",
        ({ respond }) => respond("", { status: 302, headers: { location: "https://other.test/" } }),
      ],
    ];
    for (const [what, code, end] of failures)
      it(`${what}: ${code}`, async () => {
        upstream.onSend = end;
        const { status, json, text } = await test();
        assert.equal(status, 200, text);
        assert.deepEqual(
          [json.status, json.code, json.bytes, typeof json.message],
          [null, code, 0, "string"],
        );
        assert.ok(!text.includes(SECRET));
      });

    it("without the key of the protected headers nothing is sent", async () => {
      const { sealer } = env;
      env.sealer = new Sealer([randomBytes(32)]);
      try {
        assert.equal((await test()).json.code, "CONNECTION_KEY_UNAVAILABLE");
      } finally {
        env.sealer = sealer;
      }
      assert.equal(upstream.sent.length, 0);
    });

    it("the service itself is no destination", async () => {
      await env.db
        .run`update connection_profiles set origin = ${`https://${env.base.host}`}, headers = null where name = ${profile}`;
      assert.equal((await test()).json.code, "DESTINATION_BLOCKED");
      assert.equal(upstream.sent.length, 0);
    });

    it("calls are limited by minute, as those of a page", async () => {
      upstream.onSend = ({ respond }) => respond("");
      const limit = env.bus;
      env.bus = Object.create(limit, {
        take: {
          value: async (bucket: { rateClass: string; owner: string }) =>
            bucket.rateClass === "connection.profile" && bucket.owner === profile
              ? { allowed: false, left: 0, resetMs: 2_000 }
              : { allowed: true, left: 1, resetMs: 0 },
        },
        giveBack: { value: async () => {} },
      });
      try {
        const answer = await test();
        refused(answer, 429, "CONNECTION_RATE_LIMIT");
      } finally {
        env.bus = limit;
      }
      assert.equal(upstream.sent.length, 0);
    });

    it("a client that goes ends the call", async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      upstream.onSend = ({ signal }) => signal.addEventListener("abort", () => resolve(), { once: true });
      const admin = await target.signIn(target.admin);
      const gone = new AbortController();
      const [[name, value] = ["", ""]] = admin.headers;
      const request = fetch(new URL(`/api/admin/connections/${profile}/test`, target.base), {
        method: "POST",
        headers: { [name]: value, "content-type": "application/json" },
        body: JSON.stringify({ method: "GET", path: "/" }),
        signal: gone.signal,
      });
      const watched = upstream.onSend;
      upstream.onSend = (sent) => {
        watched(sent);
        gone.abort();
      };
      await assert.rejects(request, { name: "AbortError" });
      await promise;
    });

    it("other paths, methods and profiles are refused", async () => {
      const bodies: object[] = [
        { path: "" },
        { path: "v1" },
        { path: "https://other.test/" },
        { path: "/a b" },
        { path: "/a/../b" },
        { path: "/a#b" },
        { path: `/${"x".repeat(9_000)}` },
        { path: "/a\u0000" },
        { method: "POST" },
        { method: "get" },
        { body: "x" },
      ];
      for (const body of bodies) refused(await test(body), 400, "INVALID_BODY");
      for (const name of ["none", "NONE", "a%2Fb"]) refused(await test({}, name), 404, "NOT_FOUND");
      assert.equal(upstream.sent.length, 0);
    });
  },
  { SERVICE_ENCRYPTION_KEY: randomBytes(32).toString("base64") },
);

it("a real server is reached if its address is approved, and blocked if not", async (t) => {
  const api = await startExternalApi(t, ({ method, url }) => ({
    status: url === "/up" ? 201 : 404,
    body: method ?? "",
  }));
  for (const [settings, expected] of [
    [api.settings, { status: 201, code: null, bytes: 3 }],
    [{}, { status: null, code: "DESTINATION_BLOCKED", bytes: 0 }],
  ] as const) {
    api.requests.length = 0;
    const { base } = await startService(t, settings);
    const target = devTarget(base, "path");
    const admin = await target.signIn(target.admin);
    const act = (method: string, path: string, body: object) =>
      manage(target, admin, method, `/api/admin/connections/${path}`, body);
    await act("PUT", "real", { origin: api.origin, methods: ["GET"] });
    const { json } = await act("POST", "real/test", { method: "GET", path: "/up" });
    assert.deepEqual({ status: json.status, code: json.code, bytes: json.bytes }, expected);
    assert.equal(api.requests.length, expected.status === null ? 0 : 1);
  }
});
