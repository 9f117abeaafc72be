import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { before, describe, it, test } from "node:test";
import { amend, type Cast, cast, freshSlug, manage, type Stage, stage } from "@easel/conformance/fixture";
import type { Answer } from "@easel/conformance/http";
import { refused } from "@easel/conformance/refusal";
import type { Person } from "@easel/conformance/target";
import { LIMITS } from "@easel/protocol/limits";
import { purgeCanvases } from "../../src/canvases/deletion.ts";
import { sweepBlobs } from "../../src/canvases/sweep.ts";
import { newId } from "../../src/crypto/ids.ts";
import { asKeys } from "../../src/drivers/db/db.ts";
import { keysOf } from "../drivers/blobs-contract.ts";
import { onEngines, startDev } from "../support/engines.ts";
import { publish, upload, visit } from "../support/publish.ts";
import { bytesOfFile, recount } from "../support/stored-bytes.ts";
import { zip } from "../support/zip.ts";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Returns a bundle with one file of `bytes` random bytes. */
const fresh = (bytes: number) => zip({ "index.html": randomBytes(bytes / 2).toString("hex") });

function overQuota(answer: Answer, quota: string): void {
  refused(answer, 409, "QUOTA_EXCEEDED");
  assert.equal(answer.json.quota, quota);
}

await onEngines("quotas of owners", (target, env) => {
  let admin: Person;
  let people: Cast;
  let site: Stage;
  before(async () => {
    admin = await target.signIn(target.admin);
  });

  const idOf = async (person: Person) => String((await manage(target, person, "GET", "/api/me")).json.id);
  const allow = async (person: Person, quotas: Record<string, number | null>) => {
    const path = `/api/admin/users/${await idOf(person)}`;
    assert.equal((await manage(target, admin, "PATCH", path, { quotas })).status, 200);
  };
  const make = (person: Person, slug = freshSlug()) =>
    manage(target, person, "POST", "/api/canvases", { title: "Tea", slug });
  const remove = (id: unknown) => manage(target, people.owner, "DELETE", `/api/canvases/${id}`);
  /** Creates new people, and a canvas of their owner. */
  const begin = async () => {
    people = await cast(target);
    site = await stage(target, { people });
  };
  const owned = async () =>
    ((await manage(target, people.owner, "GET", "/api/canvases?limit=1000")).json.canvases as unknown[])
      .length;
  const used = async (name: string) => {
    const { json } = await manage(target, people.owner, "GET", `/api/canvases/${site.id}/usage`);
    return (json.counts as unknown as Record<string, { used: number; limit: number }>)[name];
  };
  /** Returns the bytes of all bundles of the owner, counted again from the tables. */
  const counted = async () => {
    await env.compressions.settled();
    const canvases = await env.db.all<{ id: string }>`
      select id from canvases where owner_id = ${await idOf(people.owner)}`;
    const bytes = await Promise.all(canvases.map(({ id }) => recount(id, env)));
    return bytes.reduce((sum, each) => sum + each, 0);
  };
  /** Removes the blobs that nothing uses, as if two hours had passed. */
  const sweep = () => sweepBlobs({ ...env, clock: () => Date.now() + 2 * HOUR_MS });

  describe("canvases.person", () => {
    it("one more than the quota: 409 QUOTA_EXCEEDED, and the slug stays free; deleting a canvas makes room", async () => {
      await begin();
      await allow(people.owner, { "canvases.person": 2 });
      const { json } = await make(people.owner);
      const slug = freshSlug();
      overQuota(await make(people.owner, slug), "canvases.person");
      overQuota(
        await manage(target, people.owner, "POST", "/api/canvases", { title: "Tea" }),
        "canvases.person",
      );
      assert.deepEqual(await used("canvases.person"), { used: 2, limit: 2 });
      assert.equal((await make(people.editor, slug)).status, 201);
      assert.equal((await remove(json.id)).status, 204);
      assert.equal((await make(people.owner)).status, 201);
      overQuota(await make(people.owner), "canvases.person");
      await allow(people.owner, { "canvases.person": null });
      assert.equal((await make(people.owner)).status, 201);
    });

    it("concurrent requests: as many succeed as the quota allows", async () => {
      await begin();
      await allow(people.owner, { "canvases.person": 4 });
      const answers = await Promise.all(Array.from({ length: 12 }, () => make(people.owner)));
      assert.equal(answers.filter(({ status }) => status === 201).length, 3);
      for (const answer of answers) if (answer.status !== 201) overQuota(answer, "canvases.person");
      assert.equal(await owned(), 4);
    });

    it("a person with 2,001 deleted canvases makes no further one until they are removed for good", async () => {
      await begin();
      const owner = await idOf(people.owner);
      const ids = Array.from({ length: LIMITS.deletedCanvases.value + 1 }, () => newId());
      await env.db.run`
        insert into canvases (id, slug, title, owner_id, created_by, created_at, updated_at, deleted_at)
        select key, key, 'Gone', cast(${owner} as text), cast(${owner} as text), 0, 0, cast(${Date.now()} as bigint)
        from json_each(${asKeys(ids)})`;
      overQuota(await make(people.owner), "canvases.person");
      await env.db.run`delete from canvases where id in (select key from json_each(${asKeys(ids)}))`;
      assert.equal((await make(people.owner)).status, 201);
    });

    it("the general quota applies to a person without one", async () => {
      await begin();
      const everyone = (value: number | null) =>
        manage(target, admin, "PATCH", "/api/admin/settings", { quotas: { "canvases.person": value } });
      await everyone(1);
      overQuota(await make(people.owner), "canvases.person");
      await allow(people.owner, { "canvases.person": 2 });
      assert.equal((await make(people.owner)).status, 201);
      overQuota(await make(people.owner), "canvases.person");
      await everyone(null);
    });
  });

  describe("bundles.bytes.person", () => {
    it("a bundle over the quota: 409 QUOTA_EXCEEDED, and nothing is stored", async () => {
      await begin();
      await publish(target, site, { "index.html": "as it was" });
      await allow(people.owner, { "bundles.bytes.person": 10_000 });
      const rows = () => env.db.all`select id, version_id, updated_at from canvases order by id`;
      const versions = () => env.db.all`select id, replaced_at from versions order by id`;
      const asItWas = [await rows(), await versions(), await keysOf(env.blobs)];
      const answer = await upload(target, people.editor, site.id, await fresh(20_000));
      overQuota(answer, "bundles.bytes.person");
      assert.match(String(answer.json.message), /10000 bytes/);
      assert.deepEqual([await rows(), await versions(), await keysOf(env.blobs)], asItWas);
      assert.equal((await visit(target, site.slug, people.viewer)).text, "as it was");
      assert.deepEqual(await used("bundles.bytes.person"), {
        used: bytesOfFile("index.html", 9),
        limit: 10_000,
      });
    });

    it("the same files count once per canvas, and their rows once per version", async () => {
      await begin();
      const bundle = await zip({ "index.bin": randomBytes(6_000) });
      const first = bytesOfFile("index.bin", 6_000);
      const row = bytesOfFile("index.bin", 0) - 4096;
      await allow(people.owner, { "bundles.bytes.person": first + 2 * row });
      for (let times = 0; times < 3; times++) {
        assert.equal((await upload(target, people.owner, site.id, bundle)).status, 200);
        assert.equal((await used("bundles.bytes.person"))?.used, first + times * row);
      }
      overQuota(await upload(target, people.owner, site.id, bundle), "bundles.bytes.person");
      const other = await stage(target, { people });
      overQuota(await upload(target, people.owner, other.id, bundle), "bundles.bytes.person");
      assert.equal(await counted(), first + 2 * row);
    });

    it("what nothing uses any more counts until it has been swept", async () => {
      await begin();
      const bin = async () => zip({ "index.bin": randomBytes(6_000) });
      await allow(people.owner, { "bundles.bytes.person": 2 * bytesOfFile("index.bin", 6_000) });
      for (let times = 0; times < 3; times++) {
        const first = await upload(target, people.owner, site.id, await bin());
        assert.equal(first.status, 200, first.text);
        const at = `/api/canvases/${site.id}/versions`;
        assert.equal((await upload(target, people.owner, site.id, await bin())).status, 200);
        assert.equal(
          (await manage(target, people.owner, "DELETE", `${at}/${first.json.version}`)).status,
          204,
        );
        overQuota(await upload(target, people.owner, site.id, await bin()), "bundles.bytes.person");
        const stored = (await keysOf(env.blobs)).length;
        await sweep();
        assert.equal((await keysOf(env.blobs)).length, stored - 1);
        assert.equal(await counted(), (await used("bundles.bytes.person"))?.used);
        await allow(people.owner, {
          "bundles.bytes.person": (await counted()) + 2 * bytesOfFile("index.bin", 6_000),
        });
      }
    });

    it("compressed variants count; one that does not fit is left out", async () => {
      await begin();
      const text = randomBytes(6_000).toString("hex");
      const first = bytesOfFile("index.html", text.length);
      await allow(people.owner, { "bundles.bytes.person": first + 4096 + 6_500 });
      await publish(target, site, { "index.html": text });
      await env.compressions.settled();
      const sizes = await env.db.all<{ size: number }>`
        select size from bundle_blobs where canvas_id = ${site.id} order by size desc`;
      assert.equal(sizes.length, 2);
      const variant = sizes[1]?.size ?? 0;
      assert.ok(variant < 6_500, String(variant));
      assert.equal((await used("bundles.bytes.person"))?.used, first + 4096 + variant);
      assert.equal((await visit(target, site.slug, people.owner)).text, text);
    });

    it("concurrent deploys that fit only singly: one succeeds", async () => {
      await begin();
      const others = [await stage(target, { people }), await stage(target, { people })];
      await allow(people.owner, { "bundles.bytes.person": 16_000 });
      const bundles = await Promise.all([site, ...others].map(() => fresh(6_000)));
      const answers = await Promise.all(
        [site, ...others].map(({ id }, index) => upload(target, people.owner, id, bundles[index] as Buffer)),
      );
      assert.equal(answers.filter(({ status }) => status === 200).length, 1);
      for (const answer of answers) if (answer.status !== 200) overQuota(answer, "bundles.bytes.person");
      assert.equal(await counted(), (await used("bundles.bytes.person"))?.used);
      assert.ok((await counted()) <= 16_000);
    });

    it("a deleted canvas counts until it is purged", async () => {
      await begin();
      await allow(people.owner, { "bundles.bytes.person": 16_000 });
      assert.equal((await upload(target, people.owner, site.id, await fresh(6_000))).status, 200);
      await remove(site.id);
      site = await stage(target, { people });
      overQuota(await upload(target, people.owner, site.id, await fresh(6_000)), "bundles.bytes.person");
      await env.db
        .run`update canvases set deleted_at = ${Date.now() - 31 * DAY_MS} where deleted_at is not null`;
      await purgeCanvases(env);
      assert.equal((await upload(target, people.owner, site.id, await fresh(6_000))).status, 200);
      await env.compressions.settled();
      assert.equal(await counted(), (await used("bundles.bytes.person"))?.used);
    });
  });

  describe("versions.canvas", () => {
    const versions = async () =>
      (await manage(target, people.owner, "GET", `/api/canvases/${site.id}/versions`)).json
        .versions as unknown as {
        id: string;
        current: boolean;
      }[];
    const deployed = (name: string) =>
      publish(target, site, { "index.html": `${name} `.repeat(400), [name]: name });
    const back = (version?: string) =>
      manage(target, people.owner, "POST", `/api/canvases/${site.id}/versions/${version}/publish`);

    it("the newest versions are kept; the rows and bytes of older ones are removed", async () => {
      await begin();
      await allow(people.owner, { "versions.canvas": 2 });
      const ids: string[] = [];
      for (const name of ["one", "two", "three", "four"]) ids.push(await deployed(name));
      assert.deepEqual(
        (await versions()).map(({ id }) => id),
        ids.slice(2).toReversed(),
      );
      assert.deepEqual(await used("versions.canvas"), { used: 2, limit: 2 });
      refused(await back(ids[0]), 404, "NOT_FOUND");
      const left = await env.db.all<{ version_id: string }>`
        select distinct version_id from version_files join versions on versions.id = version_id
        where canvas_id = ${site.id} order by version_id`;
      assert.deepEqual(
        left.map(({ version_id }) => version_id),
        ids.slice(2),
      );
      assert.equal(await counted(), (await used("bundles.bytes.person"))?.used);
      assert.equal((await back(ids[2])).status, 200);
      assert.equal((await visit(target, site.slug, people.owner, "three")).text, "three");
    });

    it("the published version stays however old, and so does the one that the last deploy replaced", async () => {
      await begin();
      await allow(people.owner, { "versions.canvas": 1 });
      const first = await deployed("one");
      const second = await deployed("two");
      assert.equal((await back(first)).status, 200);
      const third = await deployed("three");
      const shown = async () => (await versions()).map(({ id }) => id);
      assert.deepEqual(await shown(), [third, first]);
      const fourth = await deployed("four");
      assert.deepEqual(await shown(), [fourth, third]);
      assert.equal(second < third, true);
      assert.equal(await counted(), (await used("bundles.bytes.person"))?.used);
    });

    it("concurrent deploys: the newest are kept, one is published, and the counted bytes are correct", async () => {
      await begin();
      await allow(people.owner, { "versions.canvas": 2 });
      await Promise.all(["a", "b", "c", "d", "e", "f"].map(deployed));
      await deployed("last");
      const left = await versions();
      assert.ok(left.length <= 3, String(left.length));
      assert.equal(left.filter(({ current }) => current).length, 1);
      assert.equal((await visit(target, site.slug, people.owner, "last")).text, "last");
      assert.equal(await counted(), (await used("bundles.bytes.person"))?.used);
    });
  });

  describe("handing a canvas over", () => {
    const give = () =>
      manage(target, people.owner, "PUT", `/api/canvases/${site.id}/owner`, { email: people.editor.email });
    for (const [quota, most] of [
      ["canvases.person", 0],
      ["bundles.bytes.person", bytesOfFile("index.bin", 6_000) - 1],
    ] as const) {
      it(`to a new owner over quota (${quota}): 409 QUOTA_EXCEEDED, and the owner stays`, async () => {
        await begin();
        const bundle = await zip({ "index.bin": randomBytes(6_000) });
        assert.equal((await upload(target, people.owner, site.id, bundle)).status, 200);
        const listed = [{ email: people.editor.email, role: "editor", name: people.editor.name }];
        await amend(target, site, { people: listed });
        await allow(people.editor, { [quota]: most });
        overQuota(await give(), quota);
        const { json } = await manage(target, people.owner, "GET", `/api/canvases/${site.id}`);
        assert.deepEqual([json.viewerRole, json.people], ["owner", listed]);
        await allow(people.editor, { [quota]: bytesOfFile("index.bin", 6_000) });
        assert.equal((await give()).status, 200);
        assert.equal((await used("bundles.bytes.person"))?.used, bytesOfFile("index.bin", 6_000));
        assert.equal(await counted(), 0);
      });
    }
  });
});

test("the deployment's quotas apply until an administrator sets others", async (t) => {
  const { target } = await startDev(t, {
    SERVICE_QUOTA_CANVASES: "1",
    SERVICE_QUOTA_BUNDLE_BYTES: "20000",
    SERVICE_VERSIONS_KEPT: "1",
  });
  const site = await stage(target);
  const { owner } = site.people;
  overQuota(await manage(target, owner, "POST", "/api/canvases", { title: "Tea" }), "canvases.person");
  overQuota(await upload(target, owner, site.id, await fresh(20_000)), "bundles.bytes.person");
  await publish(target, site, { "index.html": "one" });
  await publish(target, site, { "index.html": "two" });
  await publish(target, site, { "index.html": "three" });
  const { json } = await manage(target, owner, "GET", `/api/canvases/${site.id}/versions`);
  assert.equal((json.versions as unknown[]).length, 2);
  const admin = await target.signIn(target.admin);
  const { quotas } = (await manage(target, admin, "GET", "/api/admin/settings")).json as { quotas: object };
  assert.partialDeepStrictEqual(quotas, {
    "canvases.person": 1,
    "bundles.bytes.person": 20_000,
    "versions.canvas": 1,
  });
});
