import assert from "node:assert/strict";
import { before, it } from "node:test";
import { type Cast, manage, type Stage, stage, turn } from "@easel/conformance/fixture";
import { accept, guestOf, invite } from "@easel/conformance/guest";
import { connect } from "@easel/conformance/realtime/socket";
import { refused } from "@easel/conformance/refusal";
import { freshEmail, type Person } from "@easel/conformance/target";
import { tokenOf } from "@easel/conformance/token";
import { onSqlite } from "../support/engines.ts";

await onSqlite("what lets people in, for administrators", (target, env) => {
  let admin: Person;
  let site: Stage;
  let people: Cast;
  before(async () => {
    admin = await target.signIn(target.admin);
    site = await stage(target);
    people = site.people;
  });

  const administer = (method: string, path: string, body?: object) =>
    manage(target, admin, method, `/api/admin${path}`, body);
  const idOf = async (person: Person) => String((await manage(target, person, "GET", "/api/me")).json.id);
  const statusOf = async (person: Person) => (await manage(target, person, "GET", "/api/me")).status;
  const isIn = async (person: Person) => (await statusOf(person)) === 200;

  it("the sessions of a person are listed, and one or all end with their open connections", async () => {
    const { viewer } = people;
    const id = await idOf(viewer);
    const [second, third] = [await target.signIn(viewer.email), await target.signIn(viewer.email)];
    const token = await tokenOf(target, viewer);
    type Sessions = { sessions: { id: string; address: string; current: boolean }[] };
    const list = async () =>
      ((await administer("GET", `/users/${id}/sessions`)).json as unknown as Sessions).sessions;
    const [newest, ...others] = await list();
    assert.deepEqual([others.length, newest?.current, newest?.address], [2, false, "127.0.0.1"]);
    await turn(target, site, { realtime: true });
    const socket = await connect(target, site.slug, third);
    const one = await administer("DELETE", `/users/${id}/sessions?session=${newest?.id}`);
    assert.deepEqual([one.status, one.json], [200, { ended: 1 }]);
    assert.equal((await socket.end()).code, 4401);
    assert.deepEqual([await isIn(third), await isIn(second), await isIn(viewer)], [false, true, true]);
    refused(await administer("DELETE", `/users/${id}/sessions?session=${newest?.id}`), 404, "NOT_FOUND");
    // A session of somebody else is none of this person.
    const own = ((await manage(target, admin, "GET", "/api/sessions")).json as unknown as Sessions)
      .sessions[0];
    refused(await administer("DELETE", `/users/${id}/sessions?session=${own?.id}`), 404, "NOT_FOUND");
    assert.deepEqual((await administer("DELETE", `/users/${id}/sessions`)).json, { ended: 2 });
    assert.deepEqual([await isIn(second), await isIn(viewer), await isIn(token)], [false, false, true]);
    people.viewer = await target.signIn(viewer.email);
  });

  it("a person who is added deactivated cannot sign in until somebody reactivates them", async () => {
    const email = freshEmail("blocked");
    const body = { email: email.toUpperCase(), deactivated: true };
    const added = await administer("POST", "/users", body);
    assert.equal(added.status, 201, added.text);
    assert.deepEqual([added.json.email, added.json.deactivatedAt === null], [email, false]);
    await assert.rejects(target.signIn(email));
    refused(await administer("POST", "/users", { email }), 409, "NOT_UNIQUE");
    assert.equal((await administer("PATCH", `/users/${added.json.id}`, { deactivated: false })).status, 200);
    assert.ok(await isIn(await target.signIn(email)));
  });

  it("the guests whom a person has invited are listed and end, also after the person has left", async () => {
    const own = await stage(target, { people });
    const id = await idOf(people.owner);
    const [ann, ben] = [await guestOf(target, own), await guestOf(target, own)];
    const elsewhere = await stage(target);
    const other = await guestOf(target, elsewhere);
    type Guests = { guests: { id: string; email: string; canvas: { id: string } }[] };
    const list = async () =>
      ((await administer("GET", `/users/${id}/guests`)).json as unknown as Guests).guests.map(
        ({ email, canvas }) => [email, canvas.id],
      );
    assert.deepEqual(await list(), [
      [ben.email, own.id],
      [ann.email, own.id],
    ]);
    assert.equal((await administer("GET", `/users/${id}`)).json.guests, 2);
    const path = `/users/${id}/guests`;
    assert.deepEqual((await administer("DELETE", `${path}?invite=${ann.invite.id}`)).json, { ended: 1 });
    assert.deepEqual([await isIn(ann), await isIn(ben)], [false, true]);
    refused(await administer("DELETE", `${path}?invite=${other.invite.id}`), 404, "NOT_FOUND");
    await administer("PATCH", `/users/${id}`, { deactivated: true });
    assert.deepEqual([await isIn(ben), await list()], [true, [[ben.email, own.id]]]);
    assert.deepEqual((await administer("DELETE", path)).json, { ended: 1 });
    assert.deepEqual([await isIn(ben), await isIn(other), await list()], [false, true, []]);
    await assert.rejects(accept(target, ben.invite));
    await administer("PATCH", `/users/${id}`, { deactivated: false });
    people.owner = await target.signIn(people.owner.email);
  });

  it("an administrator takes a canvas by an act of its own, which editors see", async () => {
    const refusal = await administer("PUT", `/canvases/${site.id}/owner`, { email: admin.email });
    refused(refusal, 400, "INVALID_BODY");
    assert.match(refusal.text, /\/take/);
    const taken = await administer("POST", `/canvases/${site.id}/take`, { reason: "Nobody is left." });
    assert.equal((taken.json.owner as { email: string }).email, admin.email);
    const { entries } = (await manage(target, people.editor, "GET", `/api/canvases/${site.id}/activity`))
      .json as unknown as { entries: { act: string; actor: null; target: string }[] };
    assert.deepEqual(
      [entries[0]?.act, entries[0]?.actor, entries[0]?.target],
      ["canvas.take", null, admin.name],
    );
    // A handover to oneself is recorded as the same.
    const other = await stage(target);
    const handover = { to: admin.email, deactivate: false };
    await administer("POST", `/users/${await idOf(other.people.owner)}/handover`, handover);
    const row = await env.db.get<{ act: string }>`
      select act from audit where canvas_id = ${other.id} order by id desc limit 1`;
    assert.equal(row?.act, "canvas.take");
  });

  it("everyone is signed out but the administrator; tokens end only if asked", async () => {
    const guest = await accept(
      target,
      await invite(target, { ...site, people: { ...people, owner: admin } }),
    );
    const token = await tokenOf(target, people.editor);
    const [sessions] = await env.db.all<{ number: number }>`select count(*) as number from sessions`;
    const first = await administer("DELETE", "/sessions");
    assert.deepEqual(first.json, { ended: Number(sessions?.number) - 1 });
    for (const person of [people.editor, people.viewer, guest]) assert.equal(await isIn(person), false);
    assert.deepEqual([await isIn(admin), await isIn(token)], [true, true]);
    await administer("DELETE", "/sessions?tokens=true");
    assert.deepEqual([await isIn(admin), await isIn(token)], [true, false]);
    refused(await administer("DELETE", "/sessions?tokens=yes"), 400, "INVALID_BODY");
  });
});
