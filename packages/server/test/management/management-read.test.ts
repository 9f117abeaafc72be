import assert from "node:assert/strict";
import { before, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { manage, type Stage, share, stage, turn } from "@easel/conformance/fixture";
import { refused } from "@easel/conformance/refusal";
import { freshEmail } from "@easel/conformance/target";
import { whole } from "../support/canvas.ts";
import { onSqlite } from "../support/engines.ts";
import { publish } from "../support/publish.ts";

await onSqlite("GET /api/canvases/{id}", (target, env) => {
  let site: Stage;
  before(async () => {
    site = await stage(target);
  });

  it("returns people to owner and editors, and viewerRole to a viewer", async () => {
    const people = [
      { email: site.people.editor.email, role: "editor" },
      { email: site.people.viewer.email, role: "viewer" },
    ]
      .sort((a, b) => (a.email < b.email ? -1 : 1))
      .map((person) => ({ ...person, name: `Name of ${person.email.split("@", 1)[0]}` }));
    const names = people.map(({ name }) => name);
    for (const role of ["owner", "editor", "viewer"] as const) {
      const canvas = whole((await manage(target, site.people[role], "GET", `/api/canvases/${site.id}`)).json);
      const seen = role === "viewer" ? { people: [], count: null, names: [] } : { people, count: 2, names };
      const { count, names: shown } = canvas.audienceSummary;
      assert.deepEqual({ people: canvas.people, count, names: shown }, seen, role);
      assert.equal(canvas.viewerRole, role);
    }
  });

  it("audienceSummary counts everyone, and names at most five of those who have signed in", async () => {
    const crowd = await stage(target);
    const summaryOf = async (emails: string[]) => {
      const people = emails.map((email) => ({ email, role: "viewer" }));
      const path = `/api/canvases/${crowd.id}/sharing`;
      return whole((await manage(target, crowd.people.owner, "PUT", path, { people })).json).audienceSummary;
    };
    const known = await Promise.all(
      Array.from(
        { length: 6 },
        async (_, n) => (await target.signIn(freshEmail(`k${n}`), `Known ${n}`)).email,
      ),
    );
    const addressed = await target.signIn(freshEmail("addressed"), "someone@example.com");
    const few = [freshEmail("unknown"), addressed.email, known[0] ?? ""];
    assert.deepEqual(await summaryOf(few), { count: 3, names: ["Known 0"] });
    const all = [...known, freshEmail("unknown")];
    const names = [0, 1, 2, 3, 4].map((n) => `Known ${n}`);
    assert.deepEqual(await summaryOf(all), { count: 7, names });
  });

  it("returns metadata, and its text fields as sourceApp and sourceKind", async () => {
    const metadata = JSON.stringify({ sourceApp: "Notes", sourceKind: 7, more: { deep: [1] } });
    await env.db.run`update canvases set metadata = ${metadata} where id = ${site.id}`;
    const canvas = whole((await manage(target, site.people.owner, "GET", `/api/canvases/${site.id}`)).json);
    assert.deepEqual([canvas.sourceApp, canvas.sourceKind], ["Notes", null]);
    assert.deepEqual(canvas.metadata, JSON.parse(metadata));
  });

  it("publicationStatus is the first status that applies", async () => {
    const live = await stage(target);
    const { id } = live;
    const now = Date.now();
    const state = async () => {
      const canvas = whole((await manage(target, live.people.owner, "GET", `/api/canvases/${id}`)).json);
      return [canvas.publicationStatus, canvas.status];
    };
    assert.deepEqual(await state(), ["draft", "private"]);
    await publish(target, live, { "index.html": "home" });
    assert.deepEqual(await state(), ["published", "private"]);
    await share(target, live, "whole_org", {});
    assert.deepEqual(await state(), ["published", "live"]);
    await env.db.run`update canvases set expires_at = ${now} where id = ${id}`;
    assert.deepEqual(await state(), ["expired", "expired"]);
    await env.db.run`update canvases set revoked_at = ${now} where id = ${id}`;
    assert.deepEqual(await state(), ["unpublished", "revoked"]);
    await env.db.run`update canvases set archived_at = ${now} where id = ${id}`;
    assert.deepEqual(await state(), ["archived", "revoked"]);
    await env.db.run`update canvases set disabled_at = ${now} where id = ${id}`;
    assert.deepEqual(await state(), ["disabled", "revoked"]);
    await env.db.run`update canvases set deleted_at = ${now} where id = ${id}`;
    refused(await manage(target, live.people.owner, "GET", `/api/canvases/${id}`), 404, "NOT_FOUND");
  });

  const ids = ["none", "..", "%2e%2e", "a".repeat(5000), "' or 1=1 --", "%25", "undefined"];
  for (const id of ids) {
    it(`id ${id.slice(0, 20)}: 404 NOT_FOUND`, async () => {
      const path = `/api/canvases/${encodeURIComponent(id)}`;
      refused(await manage(target, site.people.owner, "GET", path), 404, "NOT_FOUND");
    });
  }
  it("an id with a NUL: 404 NOT_FOUND", async () => {
    for (const id of ["%00", `${site.id}%00`]) {
      refused(await manage(target, site.people.owner, "GET", `/api/canvases/${id}`), 404, "NOT_FOUND");
    }
  });

  it("updatedAt changes with every write and only then", async () => {
    const live = await stage(target);
    const updatedAt = async () => {
      const { json } = await manage(target, live.people.owner, "GET", `/api/canvases/${live.id}`);
      return Number(json.updatedAt);
    };
    let first = "";
    const writes: [name: string, write: () => Promise<unknown>][] = [
      ["deploy", async () => (first = await publish(target, live, { "index.html": "one" }))],
      ["deploy again", () => publish(target, live, { "index.html": "two" })],
      [
        "roll back",
        () =>
          manage(target, live.people.editor, "POST", `/api/canvases/${live.id}/versions/${first}/publish`),
      ],
      ["share", () => share(target, live, "whole_org", {})],
      ["switch", () => turn(target, live, { kv: false })],
    ];
    for (const [name, write] of writes) {
      const previous = await updatedAt();
      await sleep(2);
      assert.equal(await updatedAt(), previous, "reading");
      await write();
      assert.ok((await updatedAt()) > previous, name);
    }
  });
});
