import assert from "node:assert/strict";
import { before, it } from "node:test";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import { refused } from "@easel/conformance/refusal";
import type { Person } from "@easel/conformance/target";
import { onSqlite } from "../support/engines.ts";
import { publish, visit } from "../support/publish.ts";
import { recount } from "../support/stored-bytes.ts";

await onSqlite("deleting versions", (target, env) => {
  let site: Stage;
  let ids: [string, string, string];
  before(async () => {
    site = await stage(target);
    ids = [
      await publish(target, site, { "index.html": "one", "only.txt": "in the first" }),
      await publish(target, site, { "index.html": "two" }),
      await publish(target, site, { "index.html": "three" }),
    ];
  });
  const remove = (version: string, person: Person = site.people.owner, canvas = site.id) =>
    manage(target, person, "DELETE", `/api/canvases/${canvas}/versions/${version}`);
  const publishAgain = (version: string) =>
    manage(target, site.people.owner, "POST", `/api/canvases/${site.id}/versions/${version}/publish`);
  const listed = async () => {
    const { json } = await manage(target, site.people.owner, "GET", `/api/canvases/${site.id}/versions`);
    return (json.versions as unknown as { id: string }[]).map(({ id }) => id);
  };

  it("the published version: 409 VERSION_LIVE, also while the canvas is unpublished", async () => {
    refused(await remove(ids[2]), 409, "VERSION_LIVE");
    await manage(target, site.people.owner, "POST", `/api/canvases/${site.id}/unpublish`);
    refused(await remove(ids[2]), 409, "VERSION_LIVE");
    assert.equal((await publishAgain(ids[2])).status, 200);
    assert.equal((await visit(target, site.slug, site.people.viewer)).text, "three");
  });

  it("a version of another canvas or an unknown one: 404 NOT_FOUND, and nothing changes", async () => {
    const other = await stage(target);
    const foreign = await publish(target, other, { "index.html": "a" });
    await publish(target, other, { "index.html": "b" });
    for (const version of [foreign, "none", "%2e%2e", "a".repeat(5000), "%00"])
      refused(await remove(version), 404, "NOT_FOUND");
    assert.deepEqual(await listed(), ids.toReversed());
    const rows = await env.db.all`select state from versions where id = ${foreign}`;
    assert.deepEqual(rows, [{ state: "stored" }]);
  });

  it("viewers: 403 PERMISSION_DENIED; strangers: 404 NOT_FOUND", async () => {
    refused(await remove(ids[0], site.people.viewer), 403, "PERMISSION_DENIED");
    refused(await remove(ids[0], site.people.stranger), 404, "NOT_FOUND");
    assert.deepEqual(await listed(), ids.toReversed());
  });

  it("an older version by an editor: 204; its files and bytes are gone, and it cannot be published", async () => {
    const answer = await remove(ids[0], site.people.editor);
    assert.deepEqual([answer.status, answer.text], [204, ""]);
    assert.deepEqual(await listed(), [ids[2], ids[1]]);
    refused(await publishAgain(ids[0]), 404, "NOT_FOUND");
    refused(await remove(ids[0]), 404, "NOT_FOUND");
    assert.deepEqual(await env.db.all`select path from version_files where version_id = ${ids[0]}`, []);
    const { bytes } = (await env.db.get<{ bytes: number }>`
      select bytes from bundle_bytes where canvas_id = ${site.id}`) ?? { bytes: -1 };
    assert.equal(Number(bytes), await recount(site.id, env));
    assert.equal((await visit(target, site.slug, site.people.viewer)).text, "three");
  });

  it("a version that is deleted and published concurrently: one of the two succeeds, and the live version is complete", async () => {
    for (let times = 0; times < 5; times++) {
      const extra = await publish(target, site, { "index.html": `extra ${times}` });
      await publishAgain(ids[2]);
      const [removed, published] = await Promise.all([remove(extra), publishAgain(extra)]);
      assert.deepEqual(
        [removed?.status, published?.status].toSorted(),
        removed?.status === 204 ? [204, 404] : [200, 409],
      );
      const page = await visit(target, site.slug, site.people.viewer);
      assert.equal(page.text, removed?.status === 204 ? "three" : `extra ${times}`);
    }
  });

  it("a disabled canvas: 409 DISABLED", async () => {
    const off = await stage(target);
    const version = await publish(target, off, { "index.html": "one" });
    await publish(target, off, { "index.html": "two" });
    await env.db.run`update canvases set disabled_at = ${Date.now()} where id = ${off.id}`;
    refused(await remove(version, off.people.owner, off.id), 409, "DISABLED");
  });
});
