import assert from "node:assert/strict";
import { before, it } from "node:test";
import type { User } from "../../src/access/principal.ts";
import { disableCanvas, enableCanvas } from "../../src/canvases/administration.ts";
import { setCapabilities } from "../../src/canvases/capabilities.ts";
import { restoreCanvas } from "../../src/canvases/deletion.ts";
import { transferCanvas } from "../../src/canvases/ownership.ts";
import { createCanvas } from "../../src/canvases/publishing/create.ts";
import { publishStored, storeBundle } from "../../src/canvases/publishing/deploy.ts";
import { withUpload } from "../../src/canvases/publishing/upload.ts";
import { setSharing } from "../../src/canvases/sharing.ts";
import { deleteCanvas, patchCanvas, unpublishCanvas } from "../../src/canvases/update.ts";
import { listVersions, publishVersion } from "../../src/canvases/versions.ts";
import type { Env } from "../../src/env.ts";
import { upsertUser } from "../../src/identity/users.ts";
import { type CanvasChanges, revokeCanvas, saveChanges } from "../../src/primitives/authoring/store.ts";
import { onSqlite } from "../support/engines.ts";
import { zip } from "../support/zip.ts";

const NOW = 1_800_000_000_000;
const UNCHANGED: CanvasChanges = {
  title: undefined,
  tags: undefined,
  access: undefined,
  passwordHash: undefined,
  expiresAt: undefined,
  metadata: undefined,
  org: undefined,
};

await onSqlite("the time of the last change", (_target, service) => {
  const env: Env = { ...service, clock: () => NOW };
  let owner: User;
  let editor: User;
  let id: string;

  const updatedAt = async () => {
    const row = await env.db.get<{ at: number }>`select updated_at as at from canvases where id = ${id}`;
    return Number(row?.at);
  };
  const deploy = async () => {
    const bundle = await zip({ "index.html": "home" });
    const store = (file: string) => storeBundle(id, owner.id, file, env);
    const { version } = await withUpload([bundle] as never, 0, env, store);
    await publishStored(version, env);
  };

  const settings = async () => {
    const row = { id, updated_at: await updatedAt() };
    return saveChanges(row, { ...UNCHANGED, title: "Cocoa" }, env);
  };

  before(async () => {
    owner = (await upsertUser(env.db, "owner@example.com", null, NOW)) as User;
    editor = (await upsertUser(env.db, "editor@example.com", null, NOW)) as User;
    ({ id } = await createCanvas(owner, { title: "Tea", tags: [] }, env));
  });

  /** Every change of a canvas, in an order in which each is possible. */
  const CHANGES: [name: string, change: () => Promise<unknown>][] = [
    ["a title", () => patchCanvas(id, { title: "Coffee" }, env)],
    ["a slug", () => patchCanvas(id, { slug: "coffee-list" }, env)],
    ["sharing", () => setSharing(id, { people: [{ email: editor.email, role: "editor" }] }, env)],
    ["a switch", () => setCapabilities(id, { backendEnabled: true }, {}, env)],
    ["a deploy", deploy],
    ["settings by a page", settings],
    ["revoking by a page", () => revokeCanvas(id, env)],
    [
      "an older version",
      async () => publishVersion(id, (await listVersions(id, env))[0]?.id ?? "", undefined, env),
    ],
    ["unpublishing", () => unpublishCanvas(id, env)],
    ["disabling", () => disableCanvas(id, null, env)],
    ["enabling", () => enableCanvas(id, env)],
    ["deleting", () => deleteCanvas(id, env)],
    ["restoring", () => restoreCanvas(id, env)],
    ["another owner", () => transferCanvas(id, owner, editor.email, env)],
  ];

  for (const [name, change] of CHANGES) {
    it(`${name} in the same millisecond moves updatedAt on by one`, async () => {
      const then = await updatedAt();
      await change();
      assert.equal(await updatedAt(), then + 1);
    });
  }

  it("a change at a later time sets that time", async () => {
    await patchCanvas(id, { title: "Later" }, { ...env, clock: () => NOW + 1_000 });
    assert.equal(await updatedAt(), NOW + 1_000);
  });
});
