import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { AuditEntry, ConnectionProfile, ProfileUsage } from "@easel/protocol/management";
import { ABSENT, samples } from "../corpus.ts";
import { manage } from "../fixture.ts";
import { until } from "../patience.ts";
import { refused } from "../refusal.ts";
import type { Person, Target } from "../target.ts";
import { barred, freshProfile, METHODS, passed, putProfile, type Room, reach, roomOf } from "./profile.ts";
import { upstreamOf } from "./upstream-log.ts";

const HOSTS = [
  "127.0.0.1",
  "127.1",
  "2130706433",
  "0x7f.1",
  "0177.0.0.1",
  "[::1]",
  "[::ffff:127.0.0.1]",
  "user@api.example.com",
  "user:password@api.example.com",
  "api.example.com/path",
  "api.example.com//",
  "api.example.com?query",
  "api.example.com#fragment",
  "api.example.com:99999",
  "api_example com",
  "münchen.example",
  "１２７.0.0.1",
  "",
];

/** Origins that no profile may have. */
const INVALID_ORIGINS = [
  ...HOSTS.map((host) => `https://${host}`),
  "http://api.example.com",
  "ftp://api.example.com",
  "api.example.com",
  " https://api.example.com",
  "https:api.example.com",
  "https:\\\\api.example.com",
];

/** Matches an `https` origin such as `https://api.example.com:8443`. The last label of its host must not begin with a digit. */
const PLAIN = /^https:\/\/([a-z0-9_-]+\.)*[a-z_-][a-z0-9_-]*(:\d{1,5})?\/?$/i;

/** Finds the URLs, such as `http://127.0.0.1/a`, in a file of test inputs. */
const URLS = /(?<![a-z])[a-z]+:\/\/[^\s"'`<>]+/gi;

/** Finds the JSON strings with an IP address in any spelling, such as `"0x7f.1"`. A port and a path may follow the address. */
const ADDRESSES = /"\[?(?=(0x)?[0-9a-f]*[.:0-9])[0-9a-fx.:]+(\](:\d+)?)?(\/[^"]*)?"/gi;

/** Tests the management of profiles and grants, and the figures on their use. */
export function profiles(target: Target): void {
  describe("profiles and grants", () => {
    let room: Room;
    let admin: Person;
    before(async () => {
      room = await roomOf(target);
      admin = await target.signIn(target.admin);
    });
    const api = (method: string, path: string, body?: object, person: Person | null = admin) =>
      manage(target, person, method, `/api/admin/connections${path}`, body);
    const list = async () => (await api("GET", "")).json.connections as ConnectionProfile[];
    const valid = () => ({ origin: upstreamOf(target), methods: ["GET"] });

    it("PUT creates and replaces; header values are given back nowhere", async () => {
      const name = freshProfile();
      const given = { ...valid(), headers: { Authorization: "made-up-secret" }, enabled: true };
      const made = await api("PUT", `/${name}`, given);
      const view = {
        profile: name,
        origin: given.origin,
        methods: ["GET"],
        enabled: true,
        requestHeaders: [],
        headerNames: ["authorization"],
        keyAvailable: true,
        grants: [],
      };
      assert.deepEqual([made.status, made.json], [200, view]);
      assert.deepEqual(
        (await list()).find(({ profile }) => profile === name),
        view,
      );
      const changed = await api("PUT", `/${name}`, { ...valid(), methods: ["POST"], enabled: false });
      assert.deepEqual(changed.json, { ...view, methods: ["POST"], enabled: false });
      const removed = await api("PUT", `/${name}`, { ...valid(), headers: {} });
      assert.deepEqual(removed.json.headerNames, []);
      const audit = await manage(target, admin, "GET", "/api/admin/audit?limit=100");
      for (const { text } of [made, changed, audit, await api("GET", "")])
        assert.equal(text.includes("made-up-secret"), false);
      assert.equal(audit.text.includes(name), true);
    });

    it("another origin needs the protected headers again", async () => {
      const name = freshProfile();
      await putProfile(target, name, { headers: { "X-Key": "made-up" } });
      const moved = { ...valid(), origin: "https://api.example.com" };
      refused(await api("PUT", `/${name}`, moved), 400, "INVALID_BODY");
      assert.equal((await list()).find(({ profile }) => profile === name)?.origin, upstreamOf(target));
      assert.equal((await api("PUT", `/${name}`, { ...moved, headers: { "X-Key": "2" } })).status, 200);
    });

    const stores = async (origin: string) => {
      const name = freshProfile();
      const answer = await api("PUT", `/${name}`, { ...valid(), origin });
      const isStored = (await list()).some(({ profile }) => profile === name);
      assert.equal(isStored, answer.status === 200, origin);
      if (!isStored) refused(answer, 400, "INVALID_BODY");
      return isStored;
    };

    for (const origin of INVALID_ORIGINS)
      it(`origin ${JSON.stringify(origin)}: 400 INVALID_BODY, not stored`, async () => {
        assert.equal(await stores(origin), false);
      });

    it("the service itself is no origin", async () => {
      assert.equal(await stores(target.base.replace("http:", "https:")), false);
    });

    const corpus = samples("ssrf");
    it("origins from the corpus: none is stored unless it is https with a plain host name", {
      skip: corpus === null && ABSENT,
    }, async () => {
      const origins = new Set(
        (corpus ?? []).flatMap(({ bytes }) => bytes.toString("utf8").match(URLS) ?? []),
      );
      assert.ok(origins.size > 100);
      for (const origin of origins)
        if (!PLAIN.test(origin)) {
          const answer = await api("PUT", `/${freshProfile()}`, { ...valid(), origin });
          assert.equal(answer.status, 400, origin);
        }
      for (const { origin } of await list()) assert.match(origin, PLAIN);
    });

    it("IP addresses from the corpus, in any spelling: 400 INVALID_BODY", {
      skip: corpus === null && ABSENT,
    }, async () => {
      const texts = (corpus ?? [])
        .filter(({ name }) => name.endsWith(".json"))
        .flatMap(({ bytes }) => bytes.toString("utf8").match(ADDRESSES) ?? []);
      const hosts = new Set(texts.map((text) => text.slice(1, -1)));
      assert.ok(hosts.size > 50);
      for (const host of hosts)
        for (const origin of [`https://${host}`, `https://[${host}]`])
          refused(await api("PUT", `/${freshProfile()}`, { ...valid(), origin }), 400, "INVALID_BODY");
    });

    for (const [name, change] of [
      ["an unknown method", { methods: ["TRACE"] }],
      ["a method in lower case", { methods: ["get"] }],
      ["a method twice", { methods: ["GET", "GET"] }],
      ["no methods", { methods: undefined }],
      ["an empty list of methods", { methods: [] }],
      ["a further field", { more: 1 }],
      ["a header of pages with credentials", { requestHeaders: ["Authorization"] }],
      ["a header of pages that names the client", { requestHeaders: ["X-Forwarded-For"] }],
      ["a header of pages that passes for another", { requestHeaders: ["X_Key"] }],
      ["a header of pages twice", { requestHeaders: ["X-Key", "x-key"] }],
      ["a header name with a space", { headers: { "X Key": "1" } }],
      ["a header value with a line break", { headers: { "X-Key": "1\r\nX-Other: 2" } }],
      ["a protected Host", { headers: { Host: "elsewhere.example" } }],
      ["a protected Content-Length", { headers: { "Content-Length": "1" } }],
      ["a protected Transfer-Encoding", { headers: { "Transfer-Encoding": "chunked" } }],
      ["a protected Accept-Encoding", { headers: { "Accept-Encoding": "gzip" } }],
    ] as const)
      it(`${name}: 400 INVALID_BODY, not stored`, async () => {
        const profile = freshProfile();
        refused(await api("PUT", `/${profile}`, { ...valid(), ...change }), 400, "INVALID_BODY");
        assert.equal(
          (await list()).some((each) => each.profile === profile),
          false,
        );
      });

    it("only administrators", async () => {
      const path = `/${room.profile}`;
      for (const [method, rest, body] of [
        ["GET", "", undefined],
        ["PUT", path, valid()],
        ["DELETE", path, undefined],
        ["PUT", `${path}/grants/${room.id}`, { public: true }],
        ["DELETE", `${path}/grants/${room.id}`, undefined],
        ["GET", `${path}/usage`, undefined],
      ] as const) {
        const answer = await api(method, rest, body, room.people.owner);
        assert.equal(answer.status, 403, `${method} ${rest}: ${answer.text}`);
      }
      const found = (await list()).find(({ profile }) => profile === room.profile);
      assert.deepEqual(found?.methods, METHODS);
      assert.deepEqual(
        found?.grants.map((each) => [each.canvasId, each.public, each.guests, each.limits]),
        [[room.id, false, true, {}]],
      );
    });

    it("PUT of a grant replaces it, and the profile lists it", async () => {
      const { profile, id } = await roomOf(target);
      const limits = { paths: ["/v1/forecast", "/"], methods: ["GET", "POST"], requestsPerDay: 100 };
      for (const [given, listed] of [
        [{}, { public: false, guests: false, limits: {} }],
        [
          { public: true, limits },
          { public: true, guests: true, limits },
        ],
        [{ guests: true }, { public: false, guests: true, limits: {} }],
        [
          { public: true, guests: false, limits: { requestsPerDay: 1 } },
          { public: true, guests: false, limits: { requestsPerDay: 1 } },
        ],
        [undefined, { public: false, guests: false, limits: {} }],
      ] as const) {
        assert.equal((await api("PUT", `/${profile}/grants/${id}`, given)).status, 204);
        const [only] = (await list()).find((each) => each.profile === profile)?.grants ?? [];
        const { canvasId, slug: _slug, title: _title, ...grant } = only ?? assert.fail("no grant");
        assert.deepEqual([canvasId, grant], [id, listed]);
      }
    });

    for (const [name, given] of [
      ["limits that apply to nobody", { limits: { requestsPerDay: 1 } }],
      ["an empty list of paths", { public: true, limits: { paths: [] } }],
      ["a path with a query", { public: true, limits: { paths: ["/a?b"] } }],
      ["a path with `..`", { public: true, limits: { paths: ["/a/../b"] } }],
      ["a path that is not encoded", { public: true, limits: { paths: ["/a b"] } }],
      ["a path without a slash", { public: true, limits: { paths: ["a"] } }],
      ["a URL", { public: true, limits: { paths: ["https://api.example.com/a"] } }],
      ["51 paths", { public: true, limits: { paths: Array.from({ length: 51 }, (_, at) => `/${at}`) } }],
      ["an unknown method", { public: true, limits: { methods: ["TRACE"] } }],
      ["no method", { public: true, limits: { methods: [] } }],
      ["a method twice", { public: true, limits: { methods: ["GET", "GET"] } }],
      ["no request a day", { public: true, limits: { requestsPerDay: 0 } }],
      ["half a request a day", { public: true, limits: { requestsPerDay: 1.5 } }],
      ["an unknown limit", { public: true, limits: { requestsPerHour: 1 } }],
    ] as const)
      it(`a grant with ${name}: 400 INVALID_BODY, and the grant stays`, async () => {
        const path = `/${room.profile}/grants/${room.id}`;
        const before = (await list()).find(({ profile }) => profile === room.profile);
        refused(await api("PUT", path, given), 400, "INVALID_BODY");
        assert.deepEqual(
          (await list()).find(({ profile }) => profile === room.profile),
          before,
        );
      });

    it("a grant and its end count from the next request on", async () => {
      const { pages, id, profile } = await roomOf(target);
      passed(await reach(pages.owner, profile));
      const path = `/${profile}/grants/${id}`;
      assert.equal((await api("DELETE", path)).status, 204);
      barred(await reach(pages.owner, profile), 404, "CONNECTION_NOT_GRANTED");
      refused(await api("DELETE", path), 404, "NOT_FOUND");
      assert.equal((await api("PUT", path)).status, 204);
      passed(await reach(pages.owner, profile));
      refused(await api("PUT", `/${profile}/grants/no-such-canvas`), 404, "NOT_FOUND");
      refused(await api("PUT", `/${freshProfile()}/grants/${id}`), 404, "NOT_FOUND");
    });

    it("a deleted profile loses its grants, also when it is created again", async () => {
      const { pages, profile } = await roomOf(target);
      passed(await reach(pages.owner, profile));
      assert.equal((await api("DELETE", `/${profile}`)).status, 204);
      refused(await api("DELETE", `/${profile}`), 404, "NOT_FOUND");
      await putProfile(target, profile);
      barred(await reach(pages.owner, profile), 404, "CONNECTION_NOT_GRANTED");
    });

    it("every change is in the audit log, with the profile and the canvas", async () => {
      const { profile, id } = await roomOf(target);
      assert.equal((await api("DELETE", `/${profile}/grants/${id}`)).status, 204);
      assert.equal((await api("DELETE", `/${profile}`)).status, 204);
      const { json } = await manage(target, admin, "GET", "/api/admin/audit?limit=100");
      const entries = (json.entries as AuditEntry[]).filter((entry) => entry.target === profile);
      assert.deepEqual(
        entries.map(({ act, canvasId, actor }) => [act, canvasId, actor.email]),
        [
          ["connection.delete", null, target.admin],
          ["connection.revoke", id, target.admin],
          ["connection.grant", id, target.admin],
          ["connection.put", null, target.admin],
        ],
      );
    });

    it("usage counts responses by class and failures by code", async () => {
      const { pages, people, profile, id } = await roomOf(target, { methods: ["GET", "POST"] });
      for (const status of [200, 204, 404, 503])
        passed(await reach(pages.owner, profile, { status, delayMs: 30 }), status);
      barred(await reach(pages.owner, profile, { body: "x", cut: true }), 502, "UPSTREAM_UNAVAILABLE");
      barred(await reach(pages.owner, profile, {}, { method: "PUT" }), 405, "METHOD_NOT_ALLOWED");
      const usage = async () => (await api("GET", `/${profile}/usage`)).json as unknown as ProfileUsage;
      await until("the calls are counted", async () => (await usage()).total.calls === 5);
      const { total, days, canvases } = await usage();
      assert.deepEqual(total.responses, { "2xx": 2, "4xx": 1, "5xx": 1 });
      assert.deepEqual(total.failures, { UPSTREAM_UNAVAILABLE: 1 });
      assert.deepEqual(
        canvases.map(({ canvasId }) => canvasId),
        [id],
      );
      // The shortest call takes longer than the range that ends with 20 ms.
      const { meanMs, p50Ms, p95Ms } = total.latency ?? assert.fail("no latency");
      assert.ok(meanMs >= 20 && p50Ms > 20 && p95Ms >= p50Ms, JSON.stringify(total.latency));
      assert.equal(
        days.reduce((sum, { calls }) => sum + calls, 0),
        5,
      );
      const { json } = await manage(target, people.owner, "GET", `/api/canvases/${id}/usage`);
      assert.deepEqual(json.connections, [{ profile, ...total }]);
    });
  });
}
