import assert from "node:assert/strict";
import { test } from "node:test";
import {
  deleteGrant,
  findGranted,
  listGranted,
  listGrants,
  putGrant,
} from "../../src/organisation/connections/grants.ts";
import { deleteProfile } from "../../src/organisation/connections/profiles.ts";
import { onDatabases, times } from "../drivers/databases.ts";
import { ConnectionStores, freshProfile, ORIGIN } from "./connection-stores.ts";

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
    assert.equal(await putGrant({ profile, canvasId, isPublic: false }, env), true);
    assert.deepEqual(await findGranted(canvasId, profile, env), {
      name: profile,
      origin: ORIGIN,
      methods: ["GET"],
      headerNames: [],
      sealed: null,
      enabled: true,
      public: false,
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
    await putGrant({ profile, canvasId, isPublic: false }, env);
    assert.equal((await found())?.public, false);
    await putGrant({ profile, canvasId, isPublic: true }, env);
    assert.equal((await found())?.public, true);
    await putGrant({ profile, canvasId, isPublic: false }, env);
    assert.equal((await found())?.public, false);
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
    assert.equal(await putGrant({ profile: freshProfile(), canvasId, isPublic: true }, env), false);
    assert.equal(await putGrant({ profile, canvasId: "no-canvas", isPublic: true }, env), false);
    await db.run`update canvases set deleted_at = 5 where id = ${canvasId}`;
    assert.equal(await putGrant({ profile, canvasId, isPublic: true }, env), false);
    assert.deepEqual(await db.all`select profile from connection_grants where canvas_id = ${canvasId}`, []);
  });

  test("the grant of a deleted canvas is not listed and cannot change, and is back when the canvas is", async () => {
    const { profile, canvasId } = await pair();
    await putGrant({ profile, canvasId, isPublic: false }, env);
    await db.run`update canvases set deleted_at = 5 where id = ${canvasId}`;
    assert.deepEqual(await grantsOf(profile), []);
    assert.equal(await putGrant({ profile, canvasId, isPublic: true }, env), false);
    await db.run`update canvases set deleted_at = null where id = ${canvasId}`;
    assert.deepEqual(await grantsOf(profile), [
      { profile, canvas_id: canvasId, slug: canvasId, title: "Connected", public: 0 },
    ]);
  });

  test("the same grant many times at once is one", async () => {
    const { profile, canvasId } = await pair();
    const granted = await times(20, () => putGrant({ profile, canvasId, isPublic: true }, env));
    assert.deepEqual(new Set(granted), new Set([true]));
    assert.equal((await grantsOf(profile)).length, 1);
  });

  test("a profile that is created again has no grants", async () => {
    const { profile, canvasId } = await pair();
    await putGrant({ profile, canvasId, isPublic: true }, env);
    await deleteProfile(profile, env);
    await stores.put(profile);
    assert.equal(await findGranted(canvasId, profile, env), undefined);
  });
});
