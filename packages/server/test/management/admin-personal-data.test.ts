import assert from "node:assert/strict";
import { buffer } from "node:stream/consumers";
import { before, it } from "node:test";
import { type Cast, manage, type Stage, stage, turn } from "@easel/conformance/fixture";
import { accept, invite } from "@easel/conformance/guest";
import { open, type Page } from "@easel/conformance/page";
import { refused } from "@easel/conformance/refusal";
import { freshEmail, type Person } from "@easel/conformance/target";
import { makeTeam } from "@easel/conformance/team";
import { tokenOf } from "@easel/conformance/token";
import { fromBufferPromise } from "yauzl";
import { personalTablesOf } from "../../src/canvases/canvas-data.ts";
import { sqlText } from "../../src/drivers/db/db.ts";
import { renamingSteps } from "../../src/identity/renaming.ts";
import { erasePerson } from "../../src/organisation/erasure.ts";
import { exportPerson } from "../../src/organisation/person-export.ts";
import { changedDb } from "../support/changed-db.ts";
import { onEngines } from "../support/engines.ts";

type Files = Map<string, string>;

await onEngines("the data of a person", (target, env) => {
  let admin: Person;
  let site: Stage;
  let people: Cast;
  let id: string;
  let page: Page;
  const idOf = async (person: Person) => String((await manage(target, person, "GET", "/api/me")).json.id);
  const administer = (method: string, path: string, body?: object) =>
    manage(target, admin, method, `/api/admin${path}`, body);
  const erase = (query = "") => administer("DELETE", `/users/${id}${query}`);

  /** Returns the texts of the files of an export, by their paths. */
  async function exported(person = people.viewer, of = id): Promise<Files> {
    const zip = await fromBufferPromise(await buffer(exportPerson({ id: of, email: person.email }, env)));
    const files: Files = new Map();
    for await (const entry of zip.eachEntry())
      files.set(entry.fileName, (await buffer(await zip.openReadStreamPromise(entry))).toString());
    return files;
  }
  const linesOf = (files: Files, part: string): Record<string, unknown>[] =>
    (files.get(`${part}.jsonl`) ?? "")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));

  before(async () => {
    admin = await target.signIn(target.admin);
  });

  /** A canvas to which a viewer has given data of each kind, and what they have besides. */
  async function setUp(): Promise<void> {
    site = await stage(target);
    people = site.people;
    await turn(target, site, { kv: true, files: true });
    id = await idOf(people.viewer);
    page = open(target, site.slug, people.viewer);
  }

  it("an export has what they have entered anywhere, and nothing of others or of secrets", async () => {
    await setUp();
    const other = await stage(target, { people });
    await turn(target, other, { kv: true });
    for (const [number, each] of [site, other].entries()) {
      const { put } = open(target, each.slug, people.viewer);
      assert.equal((await put(`/kv/user/theme-${number}`, { dark: true })).status, 200);
    }
    assert.equal((await page.put("/kv/user/size", 12.5)).status, 200);
    assert.equal(
      (await open(target, site.slug, people.owner).put("/kv/user/theirs", "of-the-owner")).status,
      200,
    );
    await page.put("/kv/shared", "of-everyone");
    await env.db.run`insert into records (id, canvas_id, collection, author_id, value, created_at, updated_at)
      values (${`r${id}`}, ${site.id}, 'notes', ${id}, ${'{"text":"mine"}'}, 1, 2)`;
    await env.db.run`insert into submissions (canvas_id, collection, user_id, value, updated_at)
      values (${site.id}, 'poll', ${id}, '"tea"', 3)`;
    const token = await tokenOf(target, people.viewer);
    const files = await exported();
    const { person } = JSON.parse(files.get("person.json") ?? "");
    assert.deepEqual([person.id, person.email, person.name], [id, people.viewer.email, people.viewer.name]);
    const kv = linesOf(files, "kv").map(({ key, value }) => [key, value]);
    assert.deepEqual(kv.sort(), [
      ["size", 12.5],
      ["theme-0", { dark: true }],
      ["theme-1", { dark: true }],
    ]);
    assert.deepEqual(
      linesOf(files, "records").map(({ value, collection }) => [value, collection]),
      [[{ text: "mine" }, "notes"]],
    );
    assert.deepEqual(
      linesOf(files, "submissions").map(({ value }) => value),
      ["tea"],
    );
    assert.deepEqual(
      linesOf(files, "shared-with-them")
        .map(({ canvasId }) => canvasId)
        .sort(),
      [site.id, other.id].sort(),
    );
    assert.equal(linesOf(files, "sessions").length, 1);
    assert.equal(linesOf(files, "tokens").length, 1);
    assert.ok(linesOf(files, "audit").some(({ act }) => act === "token.create"));
    const all = [...files.values()].join("\n");
    const secrets = [...token.headers, ...people.viewer.headers].map(
      ([, value]) => value.split(/[= ]/).at(-1) as string,
    );
    for (const text of ["of-the-owner", "of-everyone", "hash", people.owner.email, ...secrets])
      assert.ok(!all.includes(text), text);
  });

  it("of what was done to them they get neither who did it and from where, nor what was noted about others", async () => {
    await setUp();
    await administer("PATCH", `/users/${id}`, { canPublishPublic: false });
    const session = linesOf(await exported(), "sessions")[0]?.id;
    await administer("DELETE", `/users/${id}/sessions?session=${session}`);
    await administer("PUT", `/canvases/${site.id}/owner`, {
      email: people.viewer.email,
      reason: "Ben was let go",
    });
    await env.db.run`
      insert into audit (id, at, actor_id, actor_email, act, canvas_id, target, address, details, via)
      values (${`z${id}`}, 1, 'shell', 'shell', 'user.handover', null, ${id}, '203.0.113.7', '{"reason":"Ben was let go"}', '{"client":"Secret tool","tool":null}')`;
    people.viewer = await target.signIn(people.viewer.email);
    await tokenOf(target, people.viewer);
    const files = await exported();
    const lines = linesOf(files, "audit");
    const about = lines.filter(({ act }) => !["token.create", "me.export"].includes(String(act)));
    assert.deepEqual(about.map(({ act, details }) => [act, details]).sort(), [
      ["canvas.reassign", null],
      ["user.end-sessions", { ended: 1, session }],
      ["user.handover", null],
      ["user.update", { canPublishPublic: false }],
    ]);
    for (const line of about)
      assert.deepEqual(Object.keys(line).sort(), ["act", "at", "canvasId", "details", "id"]);
    const own = lines.find(({ act }) => act === "token.create");
    assert.equal(own?.actorId, id);
    assert.notEqual(own?.address, undefined);
    const all = [...files.values()].join("\n");
    for (const text of ["let go", "203.0.113.7", "Secret tool", await idOf(admin), admin.email])
      assert.ok(!all.includes(text), text);
  });

  it("people get their own export with a session, and it is in the audit log", async () => {
    await setUp();
    const own = await manage(target, people.viewer, "GET", "/api/me/export");
    assert.equal(own.status, 200);
    assert.match(String(own.headers["content-disposition"]), /person-[-0-9]+\.zip/);
    refused(
      await manage(target, await tokenOf(target, people.viewer), "GET", "/api/me/export"),
      403,
      "PERMISSION_DENIED",
    );
    refused(
      await manage(target, people.viewer, "GET", `/api/admin/users/${id}/export`),
      403,
      "PERMISSION_DENIED",
    );
    assert.equal((await administer("GET", `/users/${id}/export`)).status, 200);
    const acts = await env.db.all<{ act: string }>`
      select act from audit where target = ${id} and act like '%.export' order by act`;
    assert.deepEqual(
      acts.map(({ act }) => act),
      ["me.export", "user.export"],
    );
  });

  it("more rows than one statement reads, each once", async () => {
    await setUp();
    for (let from = 0; from < 1_200; from += 400)
      await env.db.batch(
        Array.from({ length: 400 }, (_, at) => [
          sqlText(
            "insert into files (id, canvas_id, scope, owner_id, uploaded_by, name, mime, size, blob_key, created_at) values (?, ?, 'shared', ?, ?, 'a', 'text/plain', 0, 'none', 0)",
          ),
          `f${id}${from + at}`,
          site.id,
          id,
          (from + at) % 2 === 0 ? id : "somebody",
        ]),
      );
    const ids = linesOf(await exported(), "files").map((line) => line.id);
    assert.deepEqual([ids.length, new Set(ids).size], [1_200, 1_200]);
    await env.db.run`delete from files where canvas_id = ${site.id}`;
  });

  it("an erasure takes the person from every table, and keeps what they have written under the id", async () => {
    await setUp();
    const { email } = people.viewer;
    const own = await stage(target, { people: { ...people, owner: people.viewer, viewer: people.stranger } });
    const team = await makeTeam(target, people.viewer, [people.viewer, people.editor]);
    await makeTeam(target, people.owner, [people.viewer]);
    const guest = await accept(target, await invite(target, own));
    const asGuest = await accept(target, await invite(target, site, email, "A private name"));
    await page.put("/kv/user/theme", "dark");
    await env.db.run`insert into records (id, canvas_id, collection, author_id, value, created_at, updated_at)
      values (${`e${id}`}, ${site.id}, 'notes', ${id}, '"kept"', 1, 2)`;
    const token = await tokenOf(target, people.viewer);
    await administer("PATCH", `/users/${id}`, { canPublishPublic: false });
    // What they did under an address that is not known any more, and as a guest.
    for (const [number, actor, actorEmail] of [
      [1, id, freshEmail("unknown")],
      [2, `guest:${id}`, email],
    ] as const)
      await env.db.run`insert into audit (id, at, actor_id, actor_email, act, address)
        values (${`a${number}${id}`}, 1, ${actor}, ${actorEmail}, 'x', '203.0.113.9')`;

    const refusal = await erase();
    refused(refusal, 400, "INVALID_BODY");
    assert.match(refusal.text, /transferTo/);
    refused(await erase(`?transferTo=${email}`), 400, "INVALID_BODY");
    refused(await administer("DELETE", `/users/${await idOf(admin)}`), 400, "INVALID_BODY");
    const done = await erase(`?transferTo=${people.owner.email}`);
    assert.equal(done.status, 200, done.text);
    assert.deepEqual(done.json, { moved: 2, left: [], remaining: 0, erased: true });
    assert.deepEqual((await erase()).json, { moved: 0, left: [], remaining: 0, erased: true });

    for (const who of [people.viewer, token, guest, asGuest])
      assert.equal((await manage(target, who, "GET", "/api/me")).status, 401);
    const row = await env.db.get<{ email: string; name: string; deactivated_at: number | null }>`
      select email, name, deactivated_at from users where id = ${id}`;
    const address = `deleted-${id}@invalid`;
    assert.deepEqual(
      [row?.email, row?.name, row?.deactivated_at !== null],
      [address, "Deleted person", true],
    );
    // No table has the address any more, and only those that are declared so have the id.
    for (const [name, { ids = [], emails = [], erased }] of personalTablesOf(env.canvasData)) {
      for (const column of emails)
        assert.deepEqual(
          await env.db.all(sqlText(`select * from ${name} where ${column} = ?`), email),
          [],
          name,
        );
      if (erased === "kept") continue;
      for (const column of ids)
        assert.deepEqual(
          await env.db.all(sqlText(`select * from ${name} where ${column} = ?`), id),
          [],
          name,
        );
    }
    const left = await env.db.all`select details from audit where details like ${`%${email}%`}`;
    assert.deepEqual(left, []);
    assert.deepEqual(
      await env.db.all`select id from audit where actor_id in (${id}, ${`guest:${id}`}) and address <> ''`,
      [],
    );
    assert.ok(
      (await env.db.all`select id from audit where actor_id = ${id} and actor_email = ${address}`).length > 0,
    );
    assert.equal((await env.db.all`select id from records where author_id = ${id}`).length, 1);
    assert.equal(
      (await env.db.all`select id from teams where id = ${team.id} and created_by <> ${id}`).length,
      1,
    );

    refused(await administer("PATCH", `/users/${id}`, { deactivated: false }), 400, "INVALID_BODY");
    // Somebody who signs in with the address is another person.
    const again = await target.signIn(email);
    assert.notEqual(await idOf(again), id);
    assert.equal((await open(target, site.slug, again).get("/me")).status, 404);
  });

  it("an erasure finds the person by every address that they have had, and leaves what those have who got one since", async () => {
    await setUp();
    const [first, second, third] = [people.viewer.email, freshEmail("second"), freshEmail("third")];
    const rename = async (from: string, to: string) =>
      assert.equal(await env.db.batch(renamingSteps({ id, email: from }, to, env.clock())), "done");
    const invited = async (email: string) => String((await invite(target, site, email, "A private name")).id);
    const share = (email: string) =>
      manage(target, people.owner, "PATCH", `/api/canvases/${site.id}/sharing`, {
        people: { add: [{ email, role: "viewer" }] },
      });
    const asGuest = await accept(target, await invite(target, site, first, "A private name"));
    const invitation = await invited(first);
    await administer("PUT", `/canvases/${site.id}/owner`, { email: first, reason: "x" });
    await administer("PUT", `/canvases/${site.id}/owner`, { email: people.owner.email, reason: "x" });
    await rename(first, second);
    const second_ = await invited(second);
    await administer("PUT", `/canvases/${site.id}/owner`, { email: second, reason: "x" });
    await administer("PUT", `/canvases/${site.id}/owner`, { email: people.owner.email, reason: "x" });
    await rename(second, third);
    // The second address belongs to somebody else from now on.
    await new Promise((resolve) => setTimeout(resolve, 2));
    const heir = await target.signIn(second);
    const ofHeir = await invited(second);
    await administer("PUT", `/canvases/${site.id}/owner`, { email: second, reason: "x" });
    await administer("PUT", `/canvases/${site.id}/owner`, { email: people.owner.email, reason: "x" });
    // The heir gets nothing of the time in which the address was somebody else's.
    const ofTheirs = await exported({ ...heir, email: second }, await idOf(heir));
    assert.equal(linesOf(ofTheirs, "audit").filter(({ act }) => act === "canvas.reassign").length, 1);
    assert.deepEqual(
      linesOf(ofTheirs, "invitations").map((line) => line.id),
      [ofHeir],
    );
    const former = linesOf(await exported({ ...people.viewer, email: third }), "former-addresses");
    assert.deepEqual(new Set(former.map((line) => line.email)), new Set([first, second]));
    await share(first);
    const done = await erase();
    assert.equal(done.status, 200, done.text);
    assert.equal((await manage(target, asGuest, "GET", "/api/me")).status, 401);
    const address = `deleted-${id}@invalid`;
    const invites = await env.db.all<{ id: string; email: string; name: string; revoked_at: number | null }>`
      select id, email, name, revoked_at from invites where canvas_id = ${site.id}`;
    const row = (wanted: string) => invites.find((each) => each.id === wanted);
    for (const own of [invitation, second_]) {
      assert.deepEqual([row(own)?.email, row(own)?.name], [address, "Deleted person"]);
      assert.notEqual(row(own)?.revoked_at, null);
    }
    assert.deepEqual([row(ofHeir)?.email, row(ofHeir)?.revoked_at], [second, null]);
    assert.equal((await manage(target, heir, "GET", "/api/me")).status, 200);
    for (const [name, { emails = [] }] of personalTablesOf(env.canvasData))
      for (const column of emails)
        for (const email of [first, third])
          assert.deepEqual(
            await env.db.all(sqlText(`select * from ${name} where ${column} = ?`), email),
            [],
            `${name}.${column} ${email}`,
          );
    const left = await env.db.all`select details from audit where details like ${`%${first}%`}`;
    assert.deepEqual(left, []);
    const targets = await env.db.all`select id from audit where target = ${second}`;
    assert.equal(targets.length, 1, "what concerns the new owner of the address stays");
    assert.deepEqual(await env.db.all`select email from former_addresses where user_id = ${id}`, []);
  });

  it("an erasure that is interrupted at any statement is done when it is repeated", async () => {
    await setUp();
    await administer("PATCH", `/users/${id}`, { deactivated: true });
    const person = { id, email: people.viewer.email };
    const never = new AbortController().signal;
    let writes = 0;
    for (let stop = 1; ; stop++) {
      writes = 0;
      const count = async <Result>(write: () => Promise<Result>): Promise<Result> => {
        writes += 1;
        if (writes === stop) throw new Error("interrupted");
        return write();
      };
      const failing = changedDb(env.db, {
        run: (...statement) => count(() => env.db.run(...statement)),
        returning: (...statement) => count(() => env.db.returning(...statement)) as Promise<never>,
        batch: (steps) => count(() => env.db.batch(steps)),
      });
      const outcome = await erasePerson(person, never, { ...env, db: failing }).then(
        String,
        () => "interrupted",
      );
      if (outcome !== "interrupted") {
        assert.equal(outcome, "true");
        break;
      }
      const row = await env.db.get<{ email: string }>`select email from users where id = ${id}`;
      assert.equal(row?.email, person.email, "the person is found again until all is done");
    }
    assert.ok(writes > 10);
    assert.equal(
      (await env.db.get<{ name: string }>`select name from users where id = ${id}`)?.name,
      "Deleted person",
    );
  });

  it("what cannot be handed over keeps the person", async () => {
    await setUp();
    await stage(target, { people: { ...people, owner: people.viewer, viewer: people.stranger } });
    const heir = await target.signIn(freshEmail("heir"));
    await administer("PATCH", `/users/${await idOf(heir)}`, { quotas: { "canvases.person": 0 } });
    const answer = await erase(`?transferTo=${heir.email}`);
    assert.deepEqual([answer.json.erased, (answer.json.left as unknown[]).length], [false, 1]);
    assert.equal((await manage(target, people.viewer, "GET", "/api/me")).status, 200);
  });
});
