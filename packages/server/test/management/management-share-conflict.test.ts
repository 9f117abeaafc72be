import assert from "node:assert/strict";
import { it } from "node:test";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import { refused } from "@easel/conformance/refusal";
import { dissolve, makeTeam } from "@easel/conformance/team";
import type { Canvas } from "@easel/protocol/types";
import { readSharing, setSharing } from "../../src/canvases/sharing.ts";
import { onEngines } from "../support/engines.ts";

const crowd = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ email: `p${index}@else.test`, role: "viewer" }));

await onEngines("sharing on the condition of its revision", (target, env) => {
  const read = async ({ id, people }: Stage, who: keyof Stage["people"] = "owner"): Promise<Canvas> =>
    (await manage(target, people[who], "GET", `/api/canvases/${id}`)).json as unknown as Canvas;
  const share = ({ id, people }: Stage, body: object) =>
    manage(target, people.owner, "PUT", `/api/canvases/${id}/sharing`, body);
  const revision = async (canvas: Stage) => (await read(canvas)).sharingRevision;

  it("each setting has its part in the revision, and nothing else has", async () => {
    const site = await stage(target);
    const team = await makeTeam(target, site.people.owner, []);
    const seen = new Set([await revision(site)]);
    const bodies = [
      { access: "whole_org" },
      { password: "a long password" },
      // The same password is salted anew.
      { password: "a long password" },
      { expiresAt: Date.now() + 1e9 },
      { people: [] },
      { people: [{ email: site.people.viewer.email, role: "viewer" }] },
      { people: [{ email: site.people.viewer.email, role: "editor" }] },
      { teams: [{ id: team.id, role: "viewer" }] },
      { teams: [{ id: team.id, role: "editor" }] },
    ];
    for (const body of bodies) {
      const { json, status, text } = await share(site, body);
      assert.equal(status, 200, text);
      assert.equal(json.sharingRevision, await revision(site));
      seen.add(await revision(site));
    }
    assert.equal(seen.size, bodies.length + 1);
    const now = await revision(site);
    await manage(target, site.people.owner, "PATCH", `/api/canvases/${site.id}`, { title: "Other" });
    await manage(target, site.people.owner, "PATCH", `/api/teams/${team.id}`, { name: "Zzz" });
    assert.equal((await share(site, {})).json.sharingRevision, now);
    await dissolve(target, team);
    assert.notEqual(await revision(site), now, "a deleted team is off the list");
  });

  it("viewers, who do not see the lists, have no revision", async () => {
    const site = await stage(target);
    assert.equal((await read(site, "viewer")).sharingRevision, null);
    assert.equal((await read(site, "editor")).sharingRevision, await revision(site));
  });

  it("a save on an older revision changes nothing and returns the canvas; on the current one it is done", async () => {
    const site = await stage(target);
    const before = await revision(site);
    await share(site, { people: crowd(3) });
    for (const expectedSharing of [before, "", "x".repeat(100), "\u202e\u0000"]) {
      const answer = await share(site, { expectedSharing, access: "whole_org", people: [], password: null });
      refused(answer, 409, "SHARE_CONFLICT");
      assert.deepEqual(answer.json.current, await read(site));
    }
    const { access, people, sharingRevision } = await read(site);
    assert.deepEqual([access, people.length], ["private", 3]);
    const done = await share(site, { expectedSharing: sharingRevision, people: crowd(4) });
    assert.deepEqual([done.status, (done.json.people as unknown[]).length], [200, 4]);
    assert.equal((await share(site, { people: [] })).status, 200, "without it, as always");
    for (const expectedSharing of [null, 1, {}])
      refused(await share(site, { expectedSharing, people: [] }), 400, "INVALID_BODY");
  });

  it("of concurrent saves on one revision one is done, also by different nodes that have read it", async () => {
    const site = await stage(target);
    const expectedSharing = await revision(site);
    const answers = await Promise.all(
      [1, 2, 3, 4, 5].map((count) => share(site, { expectedSharing, people: crowd(count) })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409, 409]);
    const done = answers.find(({ status }) => status === 200)?.json.people as unknown[];
    assert.deepEqual((await read(site)).people, done);
  });

  it("what changes between the read and the write is not overwritten", async () => {
    const site = await stage(target);
    const team = await makeTeam(target, site.people.owner, []);
    const start = { access: "private", password: null, expiresAt: null, people: crowd(2), teams: [] };
    const changes = [
      { access: "whole_org" },
      { password: "a long password" },
      { expiresAt: Date.now() + 1e9 },
      { people: crowd(1) },
      { people: crowd(3) },
      { people: [...crowd(1), { email: "p1@else.test", role: "editor" }] },
      { people: [...crowd(1), { email: "p2@else.test", role: "viewer" }] },
      { teams: [{ id: team.id, role: "viewer" }] },
    ];
    for (const change of changes) {
      assert.equal((await share(site, start)).status, 200);
      const state = (await readSharing(site.id, env)) ?? assert.fail();
      assert.equal((await share(site, change)).status, 200);
      const now = await read(site);
      assert.equal(
        await setSharing(site.id, { people: [], teams: [] }, env, state),
        "changed",
        JSON.stringify(change),
      );
      assert.deepEqual(await read(site), now);
    }
    const state = (await readSharing(site.id, env)) ?? assert.fail();
    assert.equal(await setSharing(site.id, { people: [] }, env, state), "done");
    await manage(target, site.people.owner, "DELETE", `/api/canvases/${site.id}`);
    assert.equal(await setSharing(site.id, { people: [] }, env, state), "gone");
    assert.equal(await readSharing(site.id, env), undefined);
  });
});
