import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { before, it } from "node:test";
import { manage, stage } from "@easel/conformance/fixture";
import { refused } from "@easel/conformance/refusal";
import { freshEmail, type Person } from "@easel/conformance/target";
import type { ConfigSetting, InstanceHealth, InstanceOverview } from "@easel/protocol/management";
import { LastSeen } from "../../src/async/last-seen.ts";
import { SETTINGS } from "../../src/config/settings.ts";
import { Sealer } from "../../src/crypto/secrets.ts";
import { sql } from "../../src/drivers/db/db.ts";
import { writeLastSeen } from "../../src/identity/last-seen-store.ts";
import { instanceHealth } from "../../src/organisation/instance-health.ts";
import { instanceOverview } from "../../src/organisation/overview.ts";
import { changedDb } from "../support/changed-db.ts";
import { onEngines } from "../support/engines.ts";
import { DAY_MS } from "../support/time.ts";
import { everyPage } from "./admin-list.ts";

const SECRET = "s".repeat(40);

await onEngines(
  "the whole instance",
  (target, env) => {
    let admin: Person;
    before(async () => {
      admin = await target.signIn(target.admin);
    });
    const administer = (method: string, path: string, body?: object) =>
      manage(target, admin, method, `/api/admin${path}`, body);
    const idOf = async (person: Person) => String((await manage(target, person, "GET", "/api/me")).json.id);
    const overview = async () =>
      (await administer("GET", "/instance/overview")).json as unknown as InstanceOverview;
    const settings = async () => {
      const { status, json, text } = await administer("GET", "/instance/config");
      assert.equal(status, 200, text);
      return json.settings as ConfigSetting[];
    };
    const named = async (name: string) =>
      (await settings()).find((each) => each.name === name) ?? assert.fail(name);

    it("every setting is listed with value, source and whether it can be changed; secrets are masked", async () => {
      const listed = await settings();
      for (const { variable } of Object.values(SETTINGS))
        assert.equal(listed.filter(({ name }) => name === variable).length, 1, variable);
      assert.ok(!JSON.stringify(listed).includes(SECRET));
      const shown = async (name: string) => {
        const { value, source, changeable, secret } = await named(name);
        return [value, source, changeable, secret];
      };
      assert.deepEqual(await shown("SERVICE_SESSION_SECRET"), ["••••••••", "environment", false, true]);
      assert.deepEqual(await shown("SERVICE_AI_API_KEY"), ["", "default", false, true]);
      assert.deepEqual(await shown("SERVICE_URL_MODE"), ["path", "default", false, false]);
      assert.deepEqual(await shown("SERVICE_CALL_LOG"), ["off", "environment", false, false]);
      assert.deepEqual(await shown("SERVICE_ADMIN_EMAILS"), ["dev@example.com", "default", false, false]);
      assert.deepEqual(await shown("SERVICE_AI_GUEST_USD"), ["2.5", "environment", true, false]);
      assert.deepEqual(await shown("SERVICE_AI_BASE_URL"), [
        "https://••••••••@ai.internal/",
        "environment",
        false,
        false,
      ]);
      assert.deepEqual(await shown("kv.keys.user"), ["1000", "default", true, false]);
      assert.deepEqual(await shown("SERVICE_CONNECTIONS_PRIVATE_CIDRS"), ["", "default", false, false]);
    });

    it("what administrators have changed is in effect, and comes from the instance", async () => {
      const change = (body: object) => administer("PATCH", "/settings", body);
      const quotas = { "kv.keys.user": 7, "canvases.person": 8 };
      await change({
        publicLinks: false,
        quotas,
        ai: { guestUsd: 1, models: ["one", "two"], instanceMonthlyUsd: 9 },
      });
      const expected: [name: string, value: string, key: string][] = [
        ["SERVICE_PUBLIC_LINKS", "off", "publicLinks"],
        ["SERVICE_QUOTA_CANVASES", "8", "quotas.canvases.person"],
        ["SERVICE_AI_GUEST_USD", "1", "ai.guestUsd"],
        ["SERVICE_AI_MODELS", "one, two", "ai.models"],
        ["SERVICE_AI_INSTANCE_MONTHLY_USD", "9", "ai.instanceMonthlyUsd"],
        ["kv.keys.user", "7", "quotas.kv.keys.user"],
      ];
      for (const [name, value, key] of expected) {
        const found = await named(name);
        assert.deepEqual([found.value, found.source, found.key], [value, "instance", key]);
      }
      await change({
        publicLinks: null,
        quotas: { "kv.keys.user": null, "canvases.person": null },
        ai: { guestUsd: null, models: null, instanceMonthlyUsd: null },
      });
      for (const [name] of expected) assert.notEqual((await named(name)).source, "instance", name);
      assert.equal((await named("SERVICE_AI_GUEST_USD")).value, "2.5");
    });

    it("the overview counts canvases by state, people, bytes and spend", async () => {
      const previous = await overview();
      const site = await stage(target);
      const more = await Promise.all([1, 2, 3, 4].map(() => stage(target, { people: site.people })));
      const [archived, disabled, deleted, expired] = more.map(({ id }) => id) as [
        string,
        string,
        string,
        string,
      ];
      const now = Date.now();
      await env.db.run`update canvases set archived_at = 1 where id = ${archived}`;
      await env.db.run`update canvases set disabled_at = 1, archived_at = 1 where id = ${disabled}`;
      await env.db.run`update canvases set deleted_at = ${now} where id = ${deleted}`;
      await env.db.run`update canvases set version_id = 'v', expires_at = 1 where id = ${expired}`;
      await env.db.run`insert into file_bytes (canvas_id, bytes) values (${site.id}, 1234)`;
      const { canvases, people, bytes, ai } = await overview();
      const added = Object.fromEntries(
        Object.entries(canvases).map(([status, count]) => [
          status,
          count - previous.canvases[status as keyof typeof canvases],
        ]),
      );
      assert.deepEqual(added, {
        disabled: 1,
        archived: 1,
        unpublished: 0,
        draft: 1,
        expired: 1,
        published: 0,
        deleted: 1,
      });
      assert.equal(bytes.files - previous.bytes.files, 1234);
      assert.equal(people.total - previous.people.total, 4);
      assert.match(ai.month, /^\d{4}-\d\d$/);
      assert.deepEqual([ai.spent, ai.limit], [0, null]);
    });

    it("who uses the service is written in batches; people are active for 30 days", async () => {
      const { people: previous } = await overview();
      const person = await target.signIn(freshEmail("seen"));
      const id = await idOf(person);
      await writeLastSeen(env);
      const row = async () => (await administer("GET", `/users/${id}`)).json.lastSeenAt;
      const first = Number(await row());
      assert.ok(Math.abs(Date.now() - first) < 60_000);
      assert.ok((await overview()).people.active30 > previous.active30);
      await env.db.run`update last_seen set seen_at = ${Date.now() - 31 * DAY_MS} where user_id = ${id}`;
      const without = (await overview()).people.active30;
      await env.db.run`update last_seen set seen_at = ${Date.now() - 29 * DAY_MS} where user_id = ${id}`;
      assert.equal((await overview()).people.active30, without + 1);
    });

    it("if it cannot be written who was here, it is written later", async () => {
      const id = await idOf(admin);
      await env.db.run`delete from last_seen where user_id = ${id}`;
      const lastSeen = new LastSeen();
      lastSeen.note(id, 5);
      lastSeen.note("nobody", 5);
      const failing = changedDb(env.db, { run: () => Promise.reject(new Error("no database")) });
      await assert.rejects(writeLastSeen({ db: failing, clock: () => 5, lastSeen }), /no database/);
      await writeLastSeen({ db: env.db, clock: () => 7, lastSeen });
      await writeLastSeen({ db: env.db, clock: () => 9, lastSeen });
      const rows = await env.db.all<{ user_id: string; seen_at: number }>`
        select user_id, seen_at from last_seen where seen_at < 1000`;
      assert.deepEqual(
        rows.map((row) => [row.user_id, Number(row.seen_at)]),
        [[id, 7]],
      );
    });

    /** Returns how often something needs attention, and the ids that the list to which it leads has. */
    async function attention(kind: string, list: "users" | "canvases") {
      const found = (await overview()).attention.find((each) => each.kind === kind);
      const rows = await everyPage(target, admin, list, 2, `show=${kind}`);
      assert.equal(rows.length, found?.count ?? 0, kind);
      if (found !== undefined) assert.equal(found.query, `show=${kind}`);
      return rows.map(({ id }) => id);
    }

    it("attention: canvases that expire within seven days", async () => {
      const site = await stage(target);
      const expire = (at: number, deleted: number | null = null) =>
        env.db.run`update canvases set expires_at = ${at}, deleted_at = ${deleted} where id = ${site.id}`;
      const now = Date.now();
      for (const [at, deleted, is] of [
        [now + DAY_MS, null, true],
        [now + DAY_MS, now, false],
        [now + 8 * DAY_MS, null, false],
        [now - 1, null, false],
      ] as const) {
        await expire(at, deleted);
        assert.equal((await attention("sharesExpiring", "canvases")).includes(site.id), is);
      }
    });

    it("attention: deactivated people who own canvases", async () => {
      const { owner, editor } = (await stage(target)).people;
      const [ownerId, editorId] = [await idOf(owner), await idOf(editor)];
      assert.equal((await attention("ownersDeactivated", "users")).includes(ownerId), false);
      await env.db.run`update users set deactivated_at = 1 where id in (${ownerId}, ${editorId})`;
      const listed = await attention("ownersDeactivated", "users");
      assert.deepEqual([listed.includes(ownerId), listed.includes(editorId)], [true, false]);
      await env.db.run`update canvases set deleted_at = 1 where owner_id = ${ownerId}`;
      assert.equal((await attention("ownersDeactivated", "users")).includes(ownerId), false);
    });

    it("attention: people above 90 % of a quota, of their own or of the instance", async () => {
      const site = await stage(target);
      const id = await idOf(site.people.owner);
      const quota = (name: string, value: number) =>
        administer("PATCH", `/users/${id}`, { quotas: { [name]: value } });
      const isNear = async () => (await attention("quotasNear", "users")).includes(id);
      assert.equal(await isNear(), false);
      await quota("canvases.person", 1);
      assert.equal(await isNear(), true);
      await quota("canvases.person", 2);
      assert.equal(await isNear(), false);
      for (const [table, name] of [
        ["file_bytes", "files.bytes.person"],
        ["bundle_bytes", "bundles.bytes.person"],
      ] as const) {
        await quota(name, 100);
        const store = (bytes: number) =>
          table === "file_bytes"
            ? env.db.run`insert into file_bytes (canvas_id, bytes) values (${site.id}, ${bytes})
                on conflict (canvas_id) do update set bytes = excluded.bytes`
            : env.db.run`insert into bundle_bytes (canvas_id, bytes) values (${site.id}, ${bytes})
                on conflict (canvas_id) do update set bytes = excluded.bytes`;
        await store(90);
        assert.equal(await isNear(), false, name);
        await store(91);
        assert.equal(await isNear(), true, name);
        await store(0);
      }
    });

    it("the list of people shows the active, the deactivated, and those with quotas of their own", async () => {
      const { people } = await stage(target);
      const [one, two] = [await idOf(people.editor), await idOf(people.viewer)];
      await administer("PATCH", `/users/${one}`, { deactivated: true, quotas: { "versions.canvas": 3 } });
      const idsOf = async (show: string) =>
        (await everyPage(target, admin, "users", 5, `show=${show}`)).map(({ id }) => id);
      for (const [show, hasOne, hasTwo] of [
        ["active", false, true],
        ["deactivated", true, false],
        ["quotasOwn", true, false],
      ] as const) {
        const ids = await idsOf(show);
        assert.deepEqual([ids.includes(one), ids.includes(two)], [hasOne, hasTwo], show);
      }
      refused(await administer("GET", "/users?show=none"), 400, "INVALID_BODY");
      refused(await administer("GET", "/canvases?show=none"), 400, "INVALID_BODY");
    });

    it("the list of canvases shows one state", async () => {
      const site = await stage(target);
      await env.db.run`update canvases set disabled_at = 1 where id = ${site.id}`;
      const ids = async (show: string) =>
        (await everyPage(target, admin, "canvases", 50, `show=${show}`)).map(({ id }) => id);
      assert.equal((await ids("disabled")).includes(site.id), true);
      assert.equal((await ids("draft")).includes(site.id), false);
    });

    it("attention: Connections without a key, and those that fail", async () => {
      const site = await stage(target);
      const put = (name: string, headers?: object) =>
        administer("PUT", `/connections/${name}`, { origin: "https://api.test", methods: ["GET"], headers });
      await put("sealed", { "x-key": "v" });
      await put("failing");
      await put("busy");
      const day = Math.floor(Date.now() / DAY_MS);
      const count = (profile: string, outcome: string, calls: number, at = day) => env.db.run`
        insert into connection_calls (canvas_id, profile, day, outcome, up_to_ms, calls, ms)
        values (${site.id}, ${profile}, ${at}, ${outcome}, 10, ${calls}, 1)`;
      const kinds = async () =>
        (await overview()).attention
          .filter(({ kind }) => kind.startsWith("connection"))
          .map(({ kind, count }) => `${kind} ${count}`);
      await count("busy", "2xx", 100);
      await count("busy", "5xx", 9);
      await count("failing", "2xx", 6);
      await count("failing", "5xx", 4);
      await count("failing", "5xx", 50, day - 2);
      assert.deepEqual(await kinds(), []);
      await count("failing", "UPSTREAM_TIMEOUT", 2);
      assert.deepEqual(await kinds(), ["connectionsFailing 1"]);
      const { sealer } = env;
      env.sealer = new Sealer([]);
      try {
        assert.deepEqual(await kinds(), ["connectionKeys 1", "connectionsFailing 1"]);
        const { parts } = await instanceHealth(env);
        const part = parts.find(({ name }) => name === "connections");
        assert.deepEqual([part?.ok, part?.detail.includes("sealed")], [false, true]);
      } finally {
        env.sealer = sealer;
      }
    });

    it("the overview of many people and canvases is read in parts", async () => {
      const rows: number[] = [];
      const noting = changedDb(env.db, {
        async all<Row>(...statement: Parameters<typeof env.db.all>) {
          const found = await env.db.all<Row>(...statement);
          rows.push(found.length);
          return found;
        },
      });
      const ids = Array.from({ length: 1_201 }, (_, index) => `zz-${index}`);
      await env.db.run`insert into users (id, email, name, created_at)
        select key, key || '@many.test', 'M', 0 from json_each(${JSON.stringify(Object.fromEntries(ids.map((id) => [id, 1])))}) where true`;
      await env.db
        .run`insert into canvases (id, slug, title, owner_id, created_by, created_at, updated_at, access)
        select key, key, 'M', 'zz-0', 'zz-0', 0, 0, 'private' from json_each(${JSON.stringify(Object.fromEntries(ids.map((id) => [id, 1])))}) where true`;
      let turns = 0;
      let isDone = false;
      const count = () => {
        turns += 1;
        if (!isDone) setImmediate(count);
      };
      setImmediate(count);
      const { canvases, people } = await instanceOverview({ ...env, db: noting });
      isDone = true;
      assert.ok(turns >= 12, "other work runs between the parts");
      assert.ok(canvases.draft >= 1_201 && people.total >= 1_201);
      assert.ok(Math.max(...rows) <= 1_000, String(Math.max(...rows)));
      await env.db.run`delete from canvases where owner_id = 'zz-0'`;
    });

    it("health: parts that answer, this node, the disk and the last migration", async () => {
      const { json, status } = await administer("GET", "/instance/health");
      assert.equal(status, 200);
      const health = json as unknown as InstanceHealth;
      assert.deepEqual(
        health.parts.map(({ name, ok }) => [name, ok]),
        [
          ["database", true],
          ["blobs", true],
          ["bus", true],
          ["signIn", true],
          ["ai", true],
          ["connections", true],
        ],
      );
      assert.equal(
        health.parts[0]?.detail,
        env.config.databaseUrl.startsWith("sqlite") ? "SQLite" : "PostgreSQL",
      );
      assert.match(health.parts[4]?.detail ?? "", /SERVICE_AI_API_KEY/);
      assert.equal(health.nodes.length, 1);
      const [node] = health.nodes;
      assert.deepEqual([node?.id, node?.current, node?.version], [env.lease.id, true, health.version]);
      assert.ok((health.disk?.total ?? 0) >= (health.disk?.free ?? 1));
      assert.match(health.migrations, /^\d{4}_\w+\.sql$/);
      assert.ok(health.startedAt <= Date.now());
    });

    it("health: another node is listed, and one whose lease has ended is not", async () => {
      if (env.config.databaseUrl.startsWith("sqlite")) return;
      const add = (id: string, until: number) =>
        env.db.batch([
          sql`insert into leases (id, leased_until) values (${id}, ${until})`,
          sql`insert into nodes (id, version, schema, started_at, host, port, process, signing_keys, encryption_keys, shared_bus, blobs, skew_ms, connections)
          values (${id}, '9.9.9', '0001', 5, 'other', 1, 'x 1', '', '', 1, 'file:', 12, 34)`,
        ]);
      await add("node-live", Date.now() + 60_000);
      await add("node-gone", 1);
      const { nodes } = await instanceHealth(env);
      await env.db.run`delete from leases where id in ('node-live', 'node-gone')`;
      assert.deepEqual(
        nodes.filter(({ current }) => !current),
        [
          {
            id: "node-live",
            version: "9.9.9",
            startedAt: 5,
            host: "other",
            skewMs: 12,
            connections: 34,
            current: false,
          },
        ],
      );
    });

    it("health: a part that fails or does not answer says so, within its time", async () => {
      const { bus, blobs } = env;
      const blocked = Object.assign(new Error(`connect to secret-host with ${SECRET}`), {
        code: "ECONNREFUSED",
      });
      const unwell = {
        ...env,
        bus: Object.create(bus, { publish: { value: () => new Promise(() => {}) } }),
        blobs: Object.create(blobs, { tryWrite: { value: () => Promise.reject(blocked) } }),
      };
      const { parts } = await instanceHealth(unwell, 50);
      const of = (name: string) => parts.find((part) => part.name === name);
      assert.deepEqual([of("bus")?.ok, of("bus")?.detail], [false, "It has not answered within 0.05 s"]);
      assert.deepEqual(
        [of("blobs")?.ok, of("blobs")?.detail],
        [false, "It fails (ECONNREFUSED); the log has the reason"],
      );
      assert.equal(of("database")?.ok, true);
    });

    it("health: without a database the rest is still told", async () => {
      const db = changedDb(env.db, {
        all: () => Promise.reject(new Error("no database")),
        run: () => Promise.reject(new Error("no database")),
      });
      const health = await instanceHealth({ ...env, db });
      assert.deepEqual([health.parts[0]?.ok, health.nodes, health.migrations], [false, [], ""]);
      assert.equal(health.parts[1]?.ok, true);
    });

    it("health: the OpenID Connect provider is asked for its metadata", async (t) => {
      let status = 200;
      const paths: (string | undefined)[] = [];
      const server = createServer((request, response) => {
        paths.push(request.url);
        response.writeHead(status).end("{}");
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      t.after(() => server.close());
      const oidcIssuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}/realm/`;
      const config = { ...env.config, authMode: "oidc" as const, oidcIssuer };
      const signIn = async () =>
        (await instanceHealth({ ...env, config })).parts.find(({ name }) => name === "signIn");
      assert.equal((await signIn())?.ok, true);
      status = 503;
      const part = await signIn();
      assert.deepEqual(
        [part?.ok, part?.detail],
        [false, "The OpenID Connect provider answers with status 503"],
      );
      assert.equal(paths[0], "/realm/.well-known/openid-configuration");
    });
  },
  {
    SERVICE_SESSION_SECRET: SECRET,
    SERVICE_CALL_LOG: "off",
    SERVICE_AI_GUEST_USD: "2.5",
    SERVICE_AI_BASE_URL: `https://me:${SECRET}@ai.internal/`,
    SERVICE_ENCRYPTION_KEY: Buffer.alloc(32, "k").toString("base64"),
  },
);
