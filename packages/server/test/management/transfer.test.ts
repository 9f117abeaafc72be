import assert from "node:assert/strict";
import { before, it } from "node:test";
import { amend, type Cast, cast, manage, type Stage, stage } from "@easel/conformance/fixture";
import { refused, unauthenticated } from "@easel/conformance/refusal";
import { freshEmail, type Person } from "@easel/conformance/target";
import { makeTeam } from "@easel/conformance/team";
import { whole } from "../support/canvas.ts";
import { onSqlite } from "../support/engines.ts";
import { publish, visit } from "../support/publish.ts";

/** Invalid bodies of a transfer: none names a user. */
const BAD_BODIES: [name: string, body: object][] = [
  ["nothing", {}],
  ["null", { email: null }],
  ["no address", { email: "ada" }],
  ["an id", { id: "someone" }],
  ["two people", { email: ["a@example.com", "b@example.com"] }],
  ["a role besides", { email: "a@example.com", role: "owner" }],
];

await onSqlite("transfer of ownership", (target, env) => {
  let people: Cast;
  let site: Stage;
  before(async () => {
    people = await cast(target);
  });
  const fresh = async () => {
    site = await stage(target, { people });
    return site;
  };
  const give = (person: Person, email: string, { id } = site) =>
    manage(target, person, "PUT", `/api/canvases/${id}/owner`, { email });
  const seen = async (person: Person, { id } = site) =>
    whole((await manage(target, person, "GET", `/api/canvases/${id}`)).json);
  const idOf = async (person: Person) => String((await manage(target, person, "GET", "/api/me")).json.id);

  it("to an editor: the former owner becomes an editor, other roles stay", async () => {
    await fresh();
    const { owner, editor, viewer } = people;
    const answer = await give(owner, ` ${editor.email.replace("@example", "@EXAMPLE")} `);
    assert.equal(answer.status, 200, answer.text);
    const canvas = whole(answer.json);
    assert.deepEqual(canvas.owner, { id: await idOf(editor), email: editor.email, name: editor.name });
    assert.equal(canvas.viewerRole, "editor");
    assert.equal(canvas.createdBy, await idOf(owner));
    const listed = [
      { email: owner.email, role: "editor", name: owner.name },
      { email: viewer.email, role: "viewer", name: viewer.name },
    ];
    assert.deepEqual(
      canvas.people,
      listed.toSorted((a, b) => (a.email < b.email ? -1 : 1)),
    );
    assert.deepEqual(
      [(await seen(editor)).viewerRole, (await seen(owner)).viewerRole, (await seen(viewer)).viewerRole],
      ["owner", "editor", "viewer"],
    );
    refused(await manage(target, owner, "DELETE", `/api/canvases/${site.id}`), 403, "OWNER_ONLY");
    refused(await give(owner, owner.email), 403, "OWNER_ONLY");
    const back = await give(editor, owner.email);
    assert.equal(back.status, 200, back.text);
    assert.equal((await seen(owner)).viewerRole, "owner");
  });

  it("to someone who edits by a team", async () => {
    await fresh();
    const team = await makeTeam(target, people.owner, [people.stranger]);
    await amend(target, site, { teams: [{ id: team.id, role: "editor" }] });
    assert.equal((await give(people.owner, people.stranger.email)).status, 200);
    assert.equal((await seen(people.stranger)).viewerRole, "owner");
    assert.equal((await seen(people.owner)).viewerRole, "editor");
  });

  it("to a viewer, a stranger, an unknown address or an editor who never signed in: 400, and nothing changes", async () => {
    await fresh();
    const never = freshEmail("never");
    await amend(target, site, {
      people: [
        { email: never, role: "editor" },
        { email: people.viewer.email, role: "viewer" },
      ],
    });
    const previous = await seen(people.owner);
    const noOne = [people.viewer.email, people.stranger.email, "nobody@example.com", never, target.admin];
    for (const email of noOne) refused(await give(people.owner, email), 400, "INVALID_BODY");
    assert.deepEqual(await seen(people.owner), previous);
  });

  it("to oneself: 400, also where a team makes the owner an editor, too", async () => {
    await fresh();
    refused(await give(people.owner, people.owner.email), 400, "INVALID_BODY");
    const team = await makeTeam(target, people.owner, [people.owner]);
    await amend(target, site, { teams: [{ id: team.id, role: "editor" }] });
    const previous = await seen(people.owner);
    refused(await give(people.owner, people.owner.email), 400, "INVALID_BODY");
    assert.deepEqual(await seen(people.owner), previous);
  });

  it("to an editor who is deactivated: 400", async () => {
    await fresh();
    const leaver = await target.signIn(freshEmail("leaver"));
    await amend(target, site, { people: [{ email: leaver.email, role: "editor" }] });
    await env.db.run`update users set deactivated_at = 1 where email = ${leaver.email}`;
    refused(await give(people.owner, leaver.email), 400, "INVALID_BODY");
    assert.equal((await seen(people.owner)).viewerRole, "owner");
  });

  for (const [name, body] of BAD_BODIES) {
    it(`to ${name}: 400 INVALID_BODY`, async () => {
      await fresh();
      const answer = await manage(target, people.owner, "PUT", `/api/canvases/${site.id}/owner`, body);
      refused(answer, 400, "INVALID_BODY");
    });
  }

  it("only the owner may do it", async () => {
    await fresh();
    const admin = await target.signIn(target.admin);
    for (const [person, status, code] of [
      [people.editor, 403, "OWNER_ONLY"],
      [people.viewer, 403, "PERMISSION_DENIED"],
      [people.stranger, 404, "NOT_FOUND"],
      [admin, 404, "NOT_FOUND"],
    ] as const) {
      refused(await give(person, people.editor.email), status, code);
      refused(await give(person, person.email), status, code);
    }
    unauthenticated(await manage(target, null, "PUT", `/api/canvases/${site.id}/owner`, { email: "a@b.c" }));
  });

  it("of a disabled canvas: 409 DISABLED", async () => {
    await fresh();
    await env.db.run`update canvases set disabled_at = 1 where id = ${site.id}`;
    refused(await give(people.owner, people.editor.email), 409, "DISABLED");
  });

  it("a Public link is refused after a transfer to an owner who may not publish publicly", async () => {
    const link = await stage(target, { people, access: "public_link" });
    await publish(target, link, { "index.html": "home" });
    const successor = await target.signIn(freshEmail("successor"));
    await amend(target, link, { people: [{ email: successor.email, role: "editor" }] });
    await env.db.run`update users set can_publish_public = 0 where email = ${successor.email}`;
    assert.equal((await visit(target, link.slug, null)).status, 200);
    assert.equal((await give(people.owner, successor.email, link)).status, 200);
    unauthenticated(await visit(target, link.slug, null));
    assert.equal((await visit(target, link.slug, people.owner)).status, 200);
  });

  it("of concurrent transfers to two editors one succeeds, and there is one owner", async () => {
    for (let rounds = 0; rounds < 5; rounds++) {
      await fresh();
      const successors = [people.editor, people.stranger];
      await amend(target, site, { people: successors.map(({ email }) => ({ email, role: "editor" })) });
      const answers = await Promise.all(
        [...successors, ...successors].map(({ email }) => give(people.owner, email)),
      );
      const statuses = answers.map(({ status }) => status);
      assert.equal(statuses.filter((status) => status === 200).length, 1, statuses.join());
      for (const status of statuses) assert.ok([200, 400, 403].includes(status), statuses.join());
      const { owner, people: listed } = await seen(people.owner);
      assert.ok(successors.some(({ email }) => email === owner.email));
      assert.deepEqual(
        listed.map(({ email }) => email).sort(),
        [people.owner.email, ...successors.map(({ email }) => email)]
          .filter((email) => email !== owner.email)
          .sort(),
      );
    }
  });

  it("a concurrent change of the list leaves one owner, who is not on the list", async () => {
    for (let rounds = 0; rounds < 5; rounds++) {
      await fresh();
      const listed = [{ email: people.editor.email, role: "editor" }];
      const path = `/api/canvases/${site.id}/sharing`;
      const answers = await Promise.all([
        give(people.owner, people.editor.email),
        manage(target, people.owner, "PUT", path, { people: listed }),
        manage(target, people.owner, "PUT", path, { people: listed, access: "whole_org" }),
      ]);
      for (const { status, text } of answers) assert.ok(status < 500, text);
      const { owner, people: now } = await seen(people.editor);
      assert.ok(!now.some(({ email }) => email === owner.email), JSON.stringify([owner, now]));
    }
  });
});
