import assert from "node:assert/strict";
import { it, test } from "node:test";
import { upload } from "@easel/conformance/files/form";
import { amend, cast, manage, type Stage, stage } from "@easel/conformance/fixture";
import type { Answer } from "@easel/conformance/http";
import { refused } from "@easel/conformance/refusal";
import { purgeCanvases, RETENTION_MS } from "../../../src/canvases/deletion.ts";
import { onEngines, startDev } from "../../support/engines.ts";

const QUOTA = "files.bytes.person";

/** Requires a refusal by the quota of the owner's files, with this limit. */
function overQuota(answer: Answer, limit: number): void {
  refused(answer, 409, "QUOTA_EXCEEDED");
  assert.deepEqual([answer.json.quota, answer.json.limit], [QUOTA, limit]);
}

await onEngines("the quota of the files of an owner", (target, env) => {
  const canvases = async (count: number): Promise<Stage[]> => {
    const people = await cast(target);
    const setup = { people, switches: { files: true } };
    return Promise.all(Array.from({ length: count }, () => stage(target, setup)));
  };
  const userId = async ({ people: { owner } }: Stage) =>
    String((await manage(target, owner, "GET", "/api/me")).json.id);
  const allow = async (id: string, limit: number | null) => {
    const admin = await target.signIn(target.admin);
    const answer = await manage(target, admin, "PATCH", `/api/admin/users/${id}`, {
      quotas: { [QUOTA]: limit },
    });
    assert.deepEqual([answer.status, (answer.json.quotas as Record<string, unknown>)[QUOTA]], [200, limit]);
  };
  const put = ({ pages }: Stage, size: number, who: "owner" | "viewer" = "viewer") =>
    upload(pages[who], { scope: "submission" }, { bytes: Buffer.alloc(size, 1) });
  const usage = async ({ id, people: { owner } }: Stage) =>
    (await manage(target, owner, "GET", `/api/canvases/${id}/usage`)).json.counts as Record<string, unknown>;

  it("counts the uploads of all people to all canvases of the owner", async () => {
    const [one, other] = (await canvases(2)) as [Stage, Stage];
    await allow(await userId(one), 100);
    assert.equal((await put(one, 60)).status, 201);
    overQuota(await put(other, 41), 100);
    overQuota(await put(other, 41, "owner"), 100);
    const last = await put(other, 40);
    assert.equal(last.status, 201);
    assert.deepEqual((await usage(one))[QUOTA], { used: 100, limit: 100 });
    assert.equal((await other.pages.viewer.delete(`/files/${last.json.id}`)).status, 200);
    assert.equal((await put(one, 40)).status, 201);
    await allow(await userId(one), null);
    assert.equal((await put(one, 1)).status, 201);
  });

  it("holds for concurrent uploads to several canvases", async () => {
    const sites = await canvases(4);
    const first = sites[0] as Stage;
    await allow(await userId(first), 100);
    const answers = await Promise.all(
      [...sites, ...sites, ...sites].flatMap((site) => [put(site, 30), put(site, 30)]),
    );
    assert.equal(answers.filter(({ status }) => status === 201).length, 3);
    for (const answer of answers) if (answer.status !== 201) overQuota(answer, 100);
    assert.deepEqual((await usage(first))[QUOTA], { used: 90, limit: 100 });
  });

  it("counts a deleted canvas until it is purged", async () => {
    const [gone, left] = (await canvases(2)) as [Stage, Stage];
    await allow(await userId(gone), 100);
    assert.equal((await put(gone, 60)).status, 201);
    assert.equal((await manage(target, gone.people.owner, "DELETE", `/api/canvases/${gone.id}`)).status, 204);
    overQuota(await put(left, 60), 100);
    await purgeCanvases({ ...env, clock: () => Date.now() + RETENTION_MS + 1_000 });
    assert.equal((await put(left, 60)).status, 201);
  });

  it("goes along with a transfer, which is refused where the new owner has no room", async () => {
    const [site] = (await canvases(1)) as [Stage];
    const { owner, editor } = site.people;
    await amend(target, site, { people: [{ email: editor.email, role: "editor" }] });
    assert.equal((await put(site, 60, "owner")).status, 201);
    const receiver = String((await manage(target, editor, "GET", "/api/me")).json.id);
    const give = () =>
      manage(target, owner, "PUT", `/api/canvases/${site.id}/owner`, { email: editor.email });
    await allow(receiver, 59);
    const answer = await give();
    refused(answer, 409, "QUOTA_EXCEEDED");
    assert.equal(answer.json.quota, QUOTA);
    await allow(receiver, 60);
    assert.equal((await give()).status, 200);
    const next = await stage(target, { people: site.people, switches: { files: true } });
    assert.equal((await put(next, 60, "owner")).status, 201);
  });

  it("does not stand in the way of a transfer of a canvas without files", async () => {
    const [site] = (await canvases(1)) as [Stage];
    const { owner, editor } = site.people;
    await amend(target, site, { people: [{ email: editor.email, role: "editor" }] });
    const given = await manage(target, owner, "PUT", `/api/canvases/${site.id}/owner`, {
      email: editor.email,
    });
    assert.equal(given.status, 200, given.text);
  });
});

test("SERVICE_QUOTA_FILES_BYTES applies until an administrator sets another limit", async (t) => {
  const { target } = await startDev(t, { SERVICE_QUOTA_FILES_BYTES: "100" });
  const site = await stage(target, { switches: { files: true } });
  const bytes = Buffer.alloc(101, 1);
  overQuota(await upload(site.pages.owner, {}, { bytes }), 100);
  const admin = await target.signIn(target.admin);
  const quotas = { [QUOTA]: 101 };
  assert.equal((await manage(target, admin, "PATCH", "/api/admin/settings", { quotas })).status, 200);
  assert.equal((await upload(site.pages.owner, {}, { bytes })).status, 201);
});
