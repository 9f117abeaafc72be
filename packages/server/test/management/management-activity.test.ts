import assert from "node:assert/strict";
import { before, it } from "node:test";
import { disable, enable } from "@easel/conformance/admin";
import { amend, manage, type Stage, stage } from "@easel/conformance/fixture";
import { guestOf, revoke } from "@easel/conformance/guest";
import { refused, unauthenticated } from "@easel/conformance/refusal";
import { freshEmail, type Person } from "@easel/conformance/target";
import { ACTIVITY_ACTS, type Activity } from "@easel/protocol/management";
import { ACTS } from "../../src/management/acts.ts";
import { writeAudit } from "../../src/organisation/audit.ts";
import { onEngines } from "../support/engines.ts";
import { publish } from "../support/publish.ts";

/** After this act nobody reads the activity of the canvas. */
const LAST = "canvas.purge-own";

it("every act that changes a canvas is in its activity", () => {
  const ofCanvas = ACTS.filter(
    ({ name, audited, affects }) =>
      audited &&
      name !== LAST &&
      (affects === "canvas" || name.startsWith("canvas.") || /^connection\.(grant|revoke)$/.test(name)),
  ).map(({ name }) => name);
  assert.ok(ofCanvas.length > 20);
  assert.deepEqual(
    ofCanvas.filter((name) => !(ACTIVITY_ACTS as readonly string[]).includes(name)),
    [],
    "a new act of a canvas needs an entry in ACTIVITY_ACTS (protocol), in SHOWN (management/activity.ts) and a sentence in the dashboard",
  );
});

await onEngines("the activity of a canvas", (target, env) => {
  let site: Stage;
  let other: Stage;
  before(async () => {
    site = await stage(target);
    other = await stage(target);
  });

  const ask = (query = "", who: Person | null = site.people.owner, { id } = site) =>
    manage(target, who, "GET", `/api/canvases/${id}/activity?${query}`);
  async function read(query = "", who?: Person, of?: Stage) {
    const { status, text, json } = await ask(query, who, of);
    assert.equal(status, 200, text);
    return json as unknown as { entries: Activity[]; nextCursor: string | null };
  }
  const short = ({ actor, act, target, details }: Activity) => [actor?.name ?? null, act, target, details];
  const nameOf = ({ email }: Person) => `Name of ${email.split("@", 1)[0]}`;
  const idOf = async (who: Person) => (await manage(target, who, "GET", "/api/me")).json.id;
  const change = async (who: Person, method: string, path: string, body?: object) => {
    const { status, text } = await manage(target, who, method, `/api/canvases/${site.id}${path}`, body);
    assert.ok(status < 300, text);
  };

  it("it says who changed what, the newest first, with names instead of addresses", async () => {
    const { owner, editor } = site.people;
    const version = await publish(target, site, { "index.html": "One." });
    await change(editor, "PATCH", "", { title: "Renamed", metadata: { note: 1 } });
    await amend(target, site, {
      password: "a good password",
      people: [
        { email: editor.email, role: "editor" },
        { email: freshEmail("viewer"), role: "viewer" },
        { email: freshEmail("viewer"), role: "viewer" },
      ],
    });
    const guest = await guestOf(target, site);
    await revoke(target, site, guest);
    await disable(target, site);
    await enable(target, site);
    await change(owner, "PUT", "/owner", { email: editor.email });
    const { entries } = await read("limit=8");
    const [of, by] = [nameOf(owner), nameOf(editor)];
    assert.deepEqual(entries.map(short), [
      [of, "canvas.transfer", by, null],
      [null, "canvas.enable", null, null],
      [null, "canvas.disable", null, { reason: null }],
      [of, "canvas.uninvite", guest.invite.name, null],
      [of, "canvas.invite", guest.invite.name, null],
      [of, "canvas.share", null, { password: true, people: { editor: 1, viewer: 2 } }],
      [by, "canvas.update", null, { title: "Renamed", metadata: true }],
      [of, "canvas.deploy", version, null],
    ]);
    assert.deepEqual(entries[0]?.actor, { id: await idOf(owner), name: of });
    assert.deepEqual([entries[1]?.actor, entries[2]?.actor], [null, null]);
    assert.ok(entries.every(({ at }, index) => index === 0 || at <= (entries[index - 1]?.at ?? 0)));
    // The former owner is an editor now, and both read the same.
    assert.deepEqual(await read("limit=8", editor), await read("limit=8", owner));
  });

  it("no act shows an address, whatever was recorded, and none shows another canvas", async () => {
    const { owner, editor } = site.people;
    const invite = (await guestOf(target, other, "stranger@away.test")).invite.id;
    const people = [{ email: "gone@away.test", role: "viewer" }, null, "x@away.test"];
    const details = {
      ...{ email: "mail@away.test", to: editor.email, unknown: ["x@away.test"], page: other.id, people },
      teams: people,
      password: true,
    };
    const via = { client: "The laptop of mail@away.test", tool: "deploy_canvas" };
    const addressed = await target.signIn(freshEmail("addressed"), "someone@example.com");
    const actor = { id: String(await idOf(addressed)), email: addressed.email };
    const before = (await read("limit=1")).entries[0]?.id;
    for (const act of ACTIVITY_ACTS) {
      const recorded = /^canvas\.(transfer|reassign)$/.test(act)
        ? [editor.email, "gone@away.test", addressed.email]
        : /invite$/.test(act)
          ? [invite]
          : [null];
      for (const target of recorded)
        await writeAudit({ actor, act, canvas: site.id, target, address: "203.0.113.9", details, via }, env);
    }
    const { text, json } = await ask("limit=1000", owner);
    const entries = json.entries as Activity[];
    const written = entries.slice(
      0,
      entries.findIndex(({ id }) => id === before),
    );
    assert.deepEqual(new Set(written.map(({ act }) => act)), new Set(ACTIVITY_ACTS));
    assert.doesNotMatch(text, /@|203\.0\.113/);
    assert.equal(text.includes(other.id), false);
    assert.deepEqual(
      written.filter(({ act }) => act === "canvas.transfer").map((entry) => entry.target),
      [null, null, nameOf(editor)],
    );
    // A guest of another canvas has no name here, and neither has a person whose only name is their address.
    assert.ok(written.filter(({ act }) => /invite$/.test(act)).every((entry) => entry.target === null));
    assert.equal(written.find(({ act }) => act === "canvas.update")?.actor?.name, null);
    assert.ok(written.every(({ via }) => via?.client === null && via.tool === "deploy_canvas"));
  });

  it("an entry has the program through which it was done", async () => {
    await writeAudit(
      {
        actor: { id: String(await idOf(site.people.editor)), email: site.people.editor.email },
        ...{ act: "canvas.publish", canvas: site.id, target: null, address: "::1", details: null },
        via: { client: "Test tool", tool: "publish_version" },
      },
      env,
    );
    const [entry] = (await read("limit=1")).entries;
    assert.deepEqual(entry?.via, { client: "Test tool", tool: "publish_version" });
    await change(site.people.editor, "PATCH", "", { title: "By hand" });
    assert.equal((await read("limit=1")).entries[0]?.via, null);
  });

  it("what a person did to their own tokens is theirs, and an entry of a newer version is left out", async () => {
    const [newest] = (await read("limit=1")).entries;
    const actor = { id: String(await idOf(site.people.viewer)), email: site.people.viewer.email };
    for (const act of ["token.create", "canvas.unheard-of", "toString"])
      await writeAudit({ actor, act, canvas: site.id, target: null, address: "::1", details: null }, env);
    const { entries, nextCursor } = await read("limit=4");
    assert.deepEqual(entries, [newest]);
    assert.notEqual(nextCursor, null);
  });

  it("pages and filters: every entry once, in order, and only those of the acts", async () => {
    const all = (await read("limit=1000")).entries;
    for (const acts of [null, ["canvas.share"], ["canvas.deploy", "canvas.update", "authoring.create"]]) {
      const expected = all.filter(({ act }) => acts?.includes(act) ?? true);
      assert.ok(expected.length > 0);
      const found: Activity[] = [];
      const query = acts === null ? "" : `&act=${acts.join(",")},${acts[0]}`;
      let cursor: string | null = "";
      while (cursor !== null) {
        const page = await read(`limit=2${query}${cursor === "" ? "" : `&cursor=${cursor}`}`);
        assert.ok(page.entries.length <= 2);
        found.push(...page.entries);
        cursor = page.nextCursor;
      }
      assert.deepEqual(found, expected);
    }
    for (const query of ["act=token.create", "act=canvas.share,", "act=toString", "cursor=%00", "act=a%00"]) {
      refused(await ask(query), 400, "INVALID_BODY");
    }
  });

  it("it has no entry of another canvas", async () => {
    const { people } = other;
    const own = (await read("limit=1000", people.owner, other)).entries;
    assert.deepEqual(
      new Set(own.map(({ act }) => act)),
      new Set(["canvas.create", "canvas.capabilities", "canvas.share", "canvas.invite"]),
    );
    const cursor = (await read("limit=1")).nextCursor;
    for (const { id } of (await read(`limit=1000&cursor=${cursor}`, people.owner, other)).entries)
      assert.ok(own.some((entry) => entry.id === id));
  });

  it("it is for the owner and editors", async () => {
    const { owner, editor, viewer, stranger } = other.people;
    for (const who of [owner, editor]) assert.equal((await ask("", who, other)).status, 200);
    refused(await ask("", viewer, other), 403, "PERMISSION_DENIED");
    refused(await ask("", stranger, other), 404, "NOT_FOUND");
    refused(await ask("", await guestOf(target, other), other), 403, "PERMISSION_DENIED");
    unauthenticated(await ask("", null, other));
    await disable(target, other);
    assert.equal((await ask("", editor, other)).status, 200);
  });
});
