import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { before, it } from "node:test";
import { cast, manage, type Stage, stage } from "@easel/conformance/fixture";
import { refused } from "@easel/conformance/refusal";
import type { Person } from "@easel/conformance/target";
import { Sealer } from "../../src/crypto/secrets.ts";
import { freshProfile } from "../organisation/connection-stores.ts";
import { onSqlite } from "../support/engines.ts";
import { pageOf } from "./admin-list.ts";

const ORIGIN = "https://api.test";

await onSqlite(
  "administration of Connections",
  (target, env) => {
    let admin: Person;
    let people: Stage["people"];
    let site: Stage;
    before(async () => {
      admin = await target.signIn(target.admin);
      people = await cast(target);
      site = await stage(target, { people });
    });

    const act = (method: string, path: string, body?: object) =>
      manage(target, admin, method, `/api/admin/connections${path}`, body);
    const put = (name: string, fields: object = {}) =>
      act("PUT", `/${name}`, { origin: ORIGIN, methods: ["GET"], ...fields });
    const entries = async (count: number) =>
      (await pageOf(target, admin, "audit", `limit=${count}`)).rows.map((row) => [
        row.act,
        row.canvasId,
        row.target,
        row.details,
      ]);

    /** Runs `work` while the service has these encryption keys. */
    async function withKeys(keys: Buffer[], work: () => Promise<void>): Promise<void> {
      const { sealer } = env;
      env.sealer = new Sealer(keys);
      try {
        await work();
      } finally {
        env.sealer = sealer;
      }
    }

    it("each change is in the audit log with the profile before and after it, without values", async () => {
      const name = freshProfile();
      await put(name, { headers: { "X-Key": "secret" } });
      await put(name, { methods: ["GET", "POST"], enabled: false });
      await act("PUT", `/${name}/grants/${site.id}`, { public: true });
      await act("DELETE", `/${name}/grants/${site.id}`);
      await act("DELETE", `/${name}`);
      const first = {
        origin: ORIGIN,
        methods: ["GET"],
        requestHeaders: [],
        headerNames: ["x-key"],
        enabled: true,
      };
      const second = { ...first, methods: ["GET", "POST"], enabled: false };
      assert.deepEqual((await entries(5)).reverse(), [
        ["connection.put", null, name, { before: null, after: first, headersGiven: true }],
        ["connection.put", null, name, { before: first, after: second, headersGiven: false }],
        ["connection.grant", site.id, name, { public: true, guests: true, limits: {} }],
        ["connection.revoke", site.id, name, null],
        ["connection.delete", null, name, { before: second, after: null }],
      ]);
    });

    it("a refused change is not in the audit log and changes nothing", async () => {
      const name = freshProfile();
      await put(name, { headers: { "x-key": "secret" } });
      const before = await entries(1);
      const [row] = await env.db.all`select * from connection_profiles where name = ${name}`;
      refused(await put(name, { origin: "https://new.test" }), 400, "INVALID_BODY");
      refused(await put(name, { origin: env.base.origin.replace("http:", "https:") }), 400, "INVALID_BODY");
      refused(await act("PUT", `/${name}/grants/no-canvas`), 404, "NOT_FOUND");
      refused(await act("DELETE", `/${name}/grants/${site.id}`), 404, "NOT_FOUND");
      refused(await act("DELETE", `/${freshProfile()}`), 404, "NOT_FOUND");
      assert.deepEqual(await entries(1), before);
      assert.deepEqual(await env.db.all`select * from connection_profiles where name = ${name}`, [row]);
    });

    it("keyAvailable is false while the key of the headers is missing; other profiles are not affected", async () => {
      const [guarded, plain] = [freshProfile(), freshProfile()];
      await put(guarded, { headers: { "x-key": "secret" } });
      await put(plain);
      const available = async () => {
        const { connections } = (await act("GET", "")).json as {
          connections: { profile: string; keyAvailable: boolean }[];
        };
        return [guarded, plain].map(
          (name) => connections.find(({ profile }) => profile === name)?.keyAvailable,
        );
      };
      assert.deepEqual(await available(), [true, true]);
      await withKeys([randomBytes(32)], async () => assert.deepEqual(await available(), [false, true]));
      await withKeys([], async () => assert.deepEqual(await available(), [false, true]));
    });

    it("without a key: headers are refused with 503, other changes are not", async () => {
      const name = freshProfile();
      await put(name, { headers: { "x-key": "secret" } });
      await withKeys([], async () => {
        refused(await put(name, { headers: { "x-key": "new" } }), 503, "CONNECTION_KEY_UNAVAILABLE");
        assert.equal((await put(name, { enabled: false })).status, 200);
        const { status, json } = await put(name, { headers: {} });
        assert.deepEqual([status, json.headerNames], [200, []]);
      });
    });

    it("of one name given twice in different case, one header is stored, and in lower case", async () => {
      const { json, status } = await put(freshProfile(), { headers: { "X-Key": "a", "x-key": "b" } });
      assert.deepEqual([status, json.headerNames], [200, ["x-key"]]);
    });

    it("the headers that pages may send stay unless they are given, in lower case", async () => {
      const name = freshProfile();
      for (const [body, expected] of [
        [{ requestHeaders: ["X-Api-Key", "Notion-Version"] }, ["x-api-key", "notion-version"]],
        [{}, ["x-api-key", "notion-version"]],
        [{ headers: { "x-key": "a" } }, ["x-api-key", "notion-version"]],
        [{ requestHeaders: ["x-own"], headers: {} }, ["x-own"]],
        [{ requestHeaders: [] }, []],
      ] as const) {
        const { status, json } = await put(name, body);
        assert.deepEqual([status, json.requestHeaders], [200, expected]);
      }
    });

    it("nobody but administrators: 403, and nothing changes", async () => {
      const name = freshProfile();
      const body = { origin: ORIGIN, methods: ["GET"] };
      for (const [method, path, given] of [
        ["GET", "", undefined],
        ["PUT", `/${name}`, body],
        ["PUT", `/${name}/grants/${site.id}`, {}],
        ["DELETE", `/${name}/grants/${site.id}`, undefined],
        ["DELETE", `/${name}`, undefined],
        ["GET", `/${name}/usage`, undefined],
      ] as const) {
        const answer = await manage(target, people.owner, method, `/api/admin/connections${path}`, given);
        assert.equal(answer.status, 403, `${method} ${path}: ${answer.text}`);
      }
      assert.deepEqual(await env.db.all`select name from connection_profiles where name = ${name}`, []);
    });
  },
  { SERVICE_ENCRYPTION_KEY: randomBytes(32).toString("base64") },
);
