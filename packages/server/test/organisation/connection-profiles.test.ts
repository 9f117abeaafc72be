import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import type { GrantCaller } from "../../src/access/rights.ts";
import type { Db } from "../../src/drivers/db/db.ts";
import { putGrant, usabilityOf, usableOn } from "../../src/organisation/connections/grants.ts";
import {
  deleteProfile,
  findProfile,
  openHeaders,
  type Profile,
  resealHeaders,
} from "../../src/organisation/connections/profiles.ts";
import { onDatabases, times } from "../drivers/databases.ts";
import { ConnectionStores, freshProfile, KEY, MEMBERS, ORIGIN } from "./connection-stores.ts";

const OTHER_KEY = randomBytes(32);
const OTHER_ORIGIN = "https://other.test";
const OWNER: GrantCaller = {
  user: { kind: "member" },
  role: "owner",
  canvas: { access: "private" },
};
const HEADERS = { authorization: "Bearer secret" };

await onDatabases("connection profiles", (db, otherDb) => {
  const stores = new ConnectionStores(db);
  const other = new ConnectionStores(otherDb);

  /** Reads a profile, which must exist, and its decrypted headers. */
  async function read(name: string, { env } = stores): Promise<Profile & { opened: unknown }> {
    const profile = (await findProfile(name, env)) ?? assert.fail(`no profile ${name}`);
    return { ...profile, opened: profile.sealed === null ? null : openHeaders(profile.sealed, profile, env) };
  }

  /** Returns a database like `db`. Each call of its `all` reads the rows, runs `meanwhile`, and then returns the rows. */
  const afterRead = (meanwhile: () => Promise<unknown>): Db =>
    new Proxy(db, {
      get: (target, name) =>
        name !== "all"
          ? Reflect.get(target, name).bind(target)
          : async (...statement: Parameters<Db["all"]>) => {
              const rows = await target.all(...statement);
              await meanwhile();
              return rows;
            },
    });

  test("a new profile has what was given, and its headers only in sealed form", async () => {
    const name = freshProfile();
    assert.equal(await stores.put(name, { methods: ["GET", "POST"], headers: HEADERS }), null);
    const { sealed, ...profile } = await read(name);
    assert.deepEqual(profile, {
      name,
      origin: ORIGIN,
      methods: ["GET", "POST"],
      requestHeaders: [],
      headerNames: ["authorization"],
      enabled: true,
      opened: HEADERS,
    });
    assert.ok(!sealed?.includes("secret"));
  });

  test("without headers a new profile has none, and a replaced one keeps them with all other fields new", async () => {
    const name = freshProfile();
    await stores.put(name);
    assert.deepEqual([(await read(name)).headerNames, (await read(name)).opened], [[], null]);
    await stores.put(name, { headers: HEADERS });
    const { sealed } = await read(name);
    assert.equal(await stores.put(name, { methods: [], enabled: false }), null);
    const left = await read(name);
    assert.deepEqual([left.sealed, left.headerNames], [sealed, ["authorization"]]);
    assert.deepEqual([left.methods, left.enabled], [[], false]);
  });

  test("empty headers remove the stored ones, also without a key", async () => {
    const name = freshProfile();
    await stores.put(name, { headers: HEADERS });
    assert.equal(await new ConnectionStores(db, []).put(name, { headers: {} }), null);
    const { headerNames, sealed } = await read(name);
    assert.deepEqual([headerNames, sealed], [[], null]);
  });

  test("headers without a key: nothing changes", async () => {
    const [name, unknown] = [freshProfile(), freshProfile()];
    await stores.put(name, { headers: HEADERS });
    const before = await read(name);
    const keyless = new ConnectionStores(db, []);
    for (const each of [name, unknown])
      assert.equal(await keyless.put(each, { methods: [], headers: { a: "b" } }), "no key");
    assert.deepEqual(await read(name), before);
    assert.equal(await findProfile(unknown, stores.env), undefined);
  });

  test("a new origin with stored headers: nothing changes unless the headers are given again", async () => {
    const name = freshProfile();
    await stores.put(name, { headers: HEADERS });
    const before = await read(name);
    assert.equal(await stores.put(name, { origin: OTHER_ORIGIN, methods: [] }), "origin");
    assert.deepEqual(await read(name), before);
    assert.equal(await stores.put(name, { origin: OTHER_ORIGIN, headers: { a: "b" } }), null);
    const { origin, opened } = await read(name);
    assert.deepEqual([origin, opened], [OTHER_ORIGIN, { a: "b" }]);
  });

  test("a new origin without stored headers needs none", async () => {
    const name = freshProfile();
    await stores.put(name);
    assert.equal(await stores.put(name, { origin: OTHER_ORIGIN }), null);
    assert.equal((await read(name)).origin, OTHER_ORIGIN);
  });

  test("of concurrent changes of origin and headers, no order leaves headers with an origin they were not given for", async () => {
    const name = freshProfile();
    await times(60, async (index) => {
      const at = index % 2 === 0 ? stores : other;
      if (index % 3 === 0) await at.put(name, { headers: { for: ORIGIN } });
      else if (index % 3 === 1) await at.put(name, { origin: OTHER_ORIGIN });
      else await at.put(name, { headers: {} });
      const { origin, sealed, opened } = await read(name);
      if (sealed !== null) assert.deepEqual([origin, opened], [ORIGIN, { for: ORIGIN }]);
    });
  });

  test("sealed headers of one profile or origin do not open in the row of another", async () => {
    const [name, twin] = [freshProfile(), freshProfile()];
    for (const each of [name, twin]) await stores.put(each, { headers: HEADERS });
    const { sealed } = await read(name);
    await db.run`update connection_profiles set headers = ${sealed} where name = ${twin}`;
    await db.run`update connection_profiles set origin = ${OTHER_ORIGIN} where name = ${name}`;
    for (const each of [name, twin]) {
      const profile = await read(each);
      assert.equal(profile.opened, null);
      assert.equal(usabilityOf(profile, stores.env), "CONNECTION_KEY_UNAVAILABLE");
    }
  });

  test("a profile can be used with its headers, unless it is disabled or its key is missing", async () => {
    const names = Array.from({ length: 3 }, freshProfile);
    const [plain = "", guarded = "", disabled = ""] = names;
    const canvas = await stores.canvas();
    await stores.put(plain);
    await stores.put(guarded, { headers: HEADERS, methods: ["POST"] });
    await stores.put(disabled, { headers: HEADERS, enabled: false });
    for (const profile of names) await putGrant(profile, canvas, MEMBERS, stores.env);
    const usable = async ({ env }: ConnectionStores) => [
      await Promise.all(names.map(async (name) => usabilityOf(await read(name), env))),
      await usableOn(canvas, OWNER, env),
    ];
    assert.deepEqual(await usable(stores), [
      [{}, HEADERS, "CONNECTION_DISABLED"],
      { [plain]: ["GET"], [guarded]: ["POST"], [disabled]: [] },
    ]);
    assert.deepEqual(await usable(new ConnectionStores(db, [OTHER_KEY])), [
      [{}, "CONNECTION_KEY_UNAVAILABLE", "CONNECTION_DISABLED"],
      { [plain]: ["GET"], [guarded]: [], [disabled]: [] },
    ]);
  });

  test("a deleted profile takes its grants along, and only these", async () => {
    const [name, twin] = [freshProfile(), freshProfile()];
    const canvas = await stores.canvas();
    for (const profile of [name, twin]) {
      await stores.put(profile);
      await putGrant(profile, canvas, MEMBERS, stores.env);
    }
    assert.equal(await deleteProfile(name, stores.env), true);
    assert.equal(await deleteProfile(name, stores.env), false);
    assert.equal(await findProfile(name, stores.env), undefined);
    await stores.put(name);
    assert.deepEqual(Object.keys(await usableOn(canvas, OWNER, stores.env)), [twin]);
  });

  test("a profile that is deleted while grants are added: none is left, and nothing fails", async () => {
    const canvases = await times(8, () => stores.canvas());
    for (let round = 0; round < 10; round++) {
      const name = freshProfile();
      await stores.put(name);
      await Promise.all([
        ...canvases.map((canvasId) => putGrant(name, canvasId, MEMBERS, other.env)),
        deleteProfile(name, stores.env),
      ]);
      assert.deepEqual(await db.all`select canvas_id from connection_grants where profile = ${name}`, []);
      assert.equal(await findProfile(name, stores.env), undefined);
    }
  });

  test("at a rotation headers are sealed with the first key, and open without the old one", async () => {
    const [name, plain] = [freshProfile(), freshProfile()];
    await stores.put(name, { headers: HEADERS });
    await stores.put(plain);
    const rotated = new ConnectionStores(db, [OTHER_KEY, KEY]);
    assert.ok((await resealHeaders(rotated.env)) >= 1);
    assert.equal(await resealHeaders(rotated.env), 0);
    assert.deepEqual((await read(name, new ConnectionStores(db, [OTHER_KEY]))).opened, HEADERS);
    assert.equal((await read(name, stores)).opened, null);
    assert.equal((await read(plain)).sealed, null);
    assert.ok((await resealHeaders(new ConnectionStores(db, [KEY, OTHER_KEY]).env)) >= 1);
  });

  test("headers whose key is missing stay as they are, and so does everything without keys", async () => {
    const name = freshProfile();
    await stores.put(name, { headers: HEADERS });
    const { sealed } = await read(name);
    for (const keys of [[OTHER_KEY], []]) {
      assert.equal(await resealHeaders(new ConnectionStores(db, keys).env), 0);
      assert.equal((await read(name)).sealed, sealed);
    }
  });

  test("headers that are replaced, removed or deleted during a rotation are not overwritten", async () => {
    const names = Array.from({ length: 4 }, freshProfile);
    const [replaced = "", removed = "", moved = "", deleted = ""] = names;
    for (const name of names) await stores.put(name, { headers: HEADERS });
    const rotated = new ConnectionStores(
      afterRead(async () => {
        await stores.put(replaced, { headers: { a: "new" } });
        await stores.put(removed, { headers: {} });
        await stores.put(moved, { origin: OTHER_ORIGIN, headers: { a: "moved" } });
        await deleteProfile(deleted, stores.env);
      }),
      [OTHER_KEY, KEY],
    );
    await resealHeaders(rotated.env);
    assert.deepEqual((await read(replaced)).opened, { a: "new" });
    assert.equal((await read(removed)).sealed, null);
    assert.deepEqual((await read(moved)).opened, { a: "moved" });
    assert.equal(await findProfile(deleted, stores.env), undefined);
  });
});
