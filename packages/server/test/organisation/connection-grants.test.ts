import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConnectionGrant } from "@easel/protocol/management";
import { takeOfDay } from "../../src/organisation/connections/calls.ts";
import {
  deleteGrant,
  findGranted,
  listGranted,
  listGrants,
  putGrant,
} from "../../src/organisation/connections/grants.ts";
import { deleteProfile } from "../../src/organisation/connections/profiles.ts";
import { DAY_MS } from "../../src/organisation/days.ts";
import { connectionsData } from "../../src/primitives/connections/limits.ts";
import { onDatabases, times } from "../drivers/databases.ts";
import { cleanUp } from "../support/clean-up.ts";
import { ConnectionStores, freshProfile, MEMBERS, ORIGIN } from "./connection-stores.ts";

const PUBLIC: ConnectionGrant = {
  public: true,
  guests: true,
  limits: { paths: ["/v1"], methods: ["GET"], requestsPerDay: 5 },
};

await onDatabases("connection grants", (db, otherDb) => {
  const stores = new ConnectionStores(db);
  const { env } = stores;

  /** Creates a profile and a canvas. */
  async function pair(): Promise<{ profile: string; canvasId: string }> {
    const profile = freshProfile();
    await stores.put(profile);
    return { profile, canvasId: await stores.canvas() };
  }
  const grantsOf = async (wanted: string) =>
    (await listGrants(env)).filter(({ profile }) => profile === wanted);

  test("a profile is found on the canvas that it is granted to, and on no other", async () => {
    const [{ profile, canvasId }, other] = [await pair(), await pair()];
    assert.equal(await findGranted(canvasId, profile, env), undefined);
    assert.equal(await putGrant(profile, canvasId, MEMBERS, env), true);
    assert.deepEqual(await findGranted(canvasId, profile, env), {
      name: profile,
      origin: ORIGIN,
      methods: ["GET"],
      requestHeaders: [],
      headerNames: [],
      sealed: null,
      enabled: true,
      grant: MEMBERS,
    });
    assert.equal(await findGranted(other.canvasId, profile, env), undefined);
    assert.equal(await findGranted(canvasId, other.profile, env), undefined);
    assert.deepEqual(
      (await listGranted(canvasId, env)).map(({ name }) => name),
      [profile],
    );
    assert.deepEqual(await listGranted(other.canvasId, env), []);
  });

  test("a change of the grant or the profile by another connection counts from the next read on", async () => {
    const { profile, canvasId } = await pair();
    const other = new ConnectionStores(otherDb);
    const found = () => findGranted(canvasId, profile, env);
    await putGrant(profile, canvasId, MEMBERS, env);
    assert.deepEqual((await found())?.grant, MEMBERS);
    await putGrant(profile, canvasId, PUBLIC, env);
    assert.deepEqual((await found())?.grant, PUBLIC);
    await putGrant(profile, canvasId, MEMBERS, env);
    assert.deepEqual((await found())?.grant, MEMBERS);
    await stores.put(profile, { enabled: false });
    assert.equal((await found())?.enabled, false);
    await stores.put(profile, { methods: ["POST"] });
    assert.deepEqual((await found())?.methods, ["POST"]);
    assert.equal(await deleteGrant(profile, canvasId, env), true);
    assert.equal(await found(), undefined);
    assert.equal(await findGranted(canvasId, profile, other.env), undefined);
    assert.equal(await deleteGrant(profile, canvasId, env), false);
  });

  test("no grant without a profile or without a canvas that is not deleted", async () => {
    const { profile, canvasId } = await pair();
    assert.equal(await putGrant(freshProfile(), canvasId, PUBLIC, env), false);
    assert.equal(await putGrant(profile, "no-canvas", PUBLIC, env), false);
    await db.run`update canvases set deleted_at = 5 where id = ${canvasId}`;
    assert.equal(await putGrant(profile, canvasId, PUBLIC, env), false);
    assert.deepEqual(await db.all`select profile from connection_grants where canvas_id = ${canvasId}`, []);
  });

  test("the grant of a deleted canvas is not listed and cannot change, and is back when the canvas is", async () => {
    const { profile, canvasId } = await pair();
    await putGrant(profile, canvasId, MEMBERS, env);
    await db.run`update canvases set deleted_at = 5 where id = ${canvasId}`;
    assert.deepEqual(await grantsOf(profile), []);
    assert.equal(await putGrant(profile, canvasId, PUBLIC, env), false);
    await db.run`update canvases set deleted_at = null where id = ${canvasId}`;
    assert.deepEqual(await grantsOf(profile), [
      { profile, canvasId, slug: canvasId, title: "Connected", ...MEMBERS },
    ]);
  });

  test("the same grant many times at once is one", async () => {
    const { profile, canvasId } = await pair();
    const granted = await times(20, () => putGrant(profile, canvasId, PUBLIC, env));
    assert.deepEqual(new Set(granted), new Set([true]));
    assert.equal((await grantsOf(profile)).length, 1);
  });

  test("a profile that is created again has no grants", async () => {
    const { profile, canvasId } = await pair();
    await putGrant(profile, canvasId, PUBLIC, env);
    await deleteProfile(profile, env);
    await stores.put(profile);
    assert.equal(await findGranted(canvasId, profile, env), undefined);
  });

  test("as many requests a day as allowed, also at once and on two connections, until midnight UTC", async () => {
    const { profile, canvasId } = await pair();
    const other = new ConnectionStores(otherDb);
    stores.now = other.now = Date.UTC(2031, 0, 31, 23, 59, 58);
    const take = (most: number, { env: node } = stores) => takeOfDay(canvasId, profile, most, node);
    const taken = await times(20, () => Promise.all([take(7), take(7, other)]));
    assert.equal(taken.flat().filter((wait) => wait === null).length, 7);
    assert.deepEqual(new Set(taken.flat()), new Set([null, 2_000]));
    assert.equal(await take(8), null);
    assert.equal(await take(8), 2_000);
    assert.equal(await takeOfDay(canvasId, freshProfile(), 1, env), null);
    stores.now = Date.UTC(2031, 1, 1);
    assert.equal(await take(1), null);
    assert.equal(await take(1), DAY_MS);
    assert.equal(await take(8, other), 2_000, "a clock that is behind does not count anew");
  });

  test("the sweep removes counts of former days only", async () => {
    const { profile, canvasId } = await pair();
    for (const ago of [3, 1, 0]) {
      stores.now = Date.now() - ago * DAY_MS;
      await takeOfDay(canvasId, profile, 1, env);
    }
    await cleanUp(connectionsData, { db });
    const rows = await db.all<{ day: number }>`
      select day from connection_days where canvas_id = ${canvasId} order by day`;
    const today = Math.floor(Date.now() / DAY_MS);
    assert.deepEqual(
      rows.map(({ day }) => Number(day)),
      [today - 1, today],
    );
  });
});
