import assert from "node:assert/strict";
import { it } from "node:test";
import { cast, freshSlug, manage, type Stage, stage } from "@easel/conformance/fixture";
import { remove } from "@easel/conformance/lifecycle";
import { refused } from "@easel/conformance/refusal";
import type { Person } from "@easel/conformance/target";
import { purgeCanvases } from "../../src/canvases/deletion.ts";
import { onEngines } from "../support/engines.ts";
import { publish } from "../support/publish.ts";

await onEngines("slugs of published canvases", (target, env) => {
  const path = ({ id }: { id: string }) => `/api/canvases/${id}`;
  const create = (slug: string, person: Person) =>
    manage(target, person, "POST", "/api/canvases", { title: "Other", slug });
  const rename = (canvas: Stage, slug: string, person = canvas.people.owner) =>
    manage(target, person, "PATCH", path(canvas), { slug });
  const renamed = async (canvas: Stage, slug: string) => {
    const answer = await rename(canvas, slug);
    assert.equal(answer.status, 200, answer.text);
  };
  const published = async (people?: Stage["people"]) => {
    const canvas = await stage(target, people === undefined ? {} : { people });
    await publish(target, canvas, { "index.html": "home", "sw.js": "" });
    return canvas;
  };
  /** Makes every deletion and every reservation of a slug a month older. */
  const monthPasses = async () => {
    await env.db.run`update slug_claims set until = 1 where until > 1`;
    await env.db.run`update canvases set deleted_at = 1 where deleted_at is not null`;
    await purgeCanvases(env);
  };
  /** Deletes a canvas, and removes it for good. */
  const purge = async (canvas: Stage) => {
    await remove(target, canvas);
    await monthPasses();
    assert.equal(await env.db.get`select id from canvases where id = ${canvas.id}`, undefined);
  };
  /** Requires that of the people only `owner` gets the slug, a month later, in every way to get one. */
  const keptFor = async (owner: Person, others: Person[], slug: string) => {
    await monthPasses();
    for (const other of others) {
      const people = { ...(await cast(target)), owner: other };
      refused(await create(slug, other), 409, "SLUG_TAKEN");
      const draft = await stage(target, { people });
      refused(await rename(draft, slug), 409, "SLUG_TAKEN");
      refused(await rename(await published(people), slug), 409, "SLUG_TAKEN");
      await remove(target, draft);
      refused(await manage(target, other, "POST", `${path(draft)}/restore`, { slug }), 409, "SLUG_TAKEN");
    }
    const made = await create(slug, owner);
    assert.deepEqual([made.status, made.json.slug], [201, slug], made.text);
    // A draft without a version does not need the slug, which its owner keeps nevertheless.
    assert.equal((await manage(target, owner, "DELETE", path(made.json as { id: string }))).status, 204);
    for (const other of others) refused(await create(slug, other), 409, "SLUG_TAKEN");
  };

  it("after the canvas is gone, only its former owner gets the slug", async () => {
    const canvas = await published();
    const { owner, editor, stranger } = canvas.people;
    await purge(canvas);
    await keptFor(owner, [editor, stranger], canvas.slug);
  });

  it("each slug under which a canvas was published is kept, also one without a deploy of its own", async () => {
    const canvas = await published();
    const { owner, stranger } = canvas.people;
    const [first, second] = [canvas.slug, freshSlug()];
    await renamed(canvas, second);
    await renamed(canvas, freshSlug());
    for (const slug of [first, second]) await keptFor(owner, [stranger], slug);
  });

  it("a canvas that is restored under another slug keeps both for its owner", async () => {
    const canvas = await published();
    const { owner, stranger } = canvas.people;
    const slug = freshSlug();
    await remove(target, canvas);
    assert.equal((await manage(target, owner, "POST", `${path(canvas)}/restore`, { slug })).status, 200);
    await purge(canvas);
    for (const each of [canvas.slug, slug]) await keptFor(owner, [stranger], each);
  });

  it("slugs under which nothing was published become free", async () => {
    const draft = await stage(target);
    const { stranger } = draft.people;
    const [first, second] = [draft.slug, freshSlug()];
    await renamed(draft, second);
    await renamed(draft, freshSlug());
    await publish(target, draft, { "index.html": "home" });
    await monthPasses();
    for (const slug of [first, second]) assert.equal((await create(slug, stranger)).status, 201);
  });

  it("the slugs of a canvas go along to its new owner, except those that the former one uses again", async () => {
    const canvas = await published();
    const { owner, editor, stranger } = canvas.people;
    const [used, former, slug] = [canvas.slug, freshSlug(), freshSlug()];
    for (const next of [former, slug]) await renamed(canvas, next);
    await monthPasses();
    const again = await create(used, owner);
    assert.equal(again.status, 201, again.text);
    const given = await manage(target, owner, "PUT", `${path(canvas)}/owner`, { email: editor.email });
    assert.equal(given.status, 200, given.text);
    await keptFor(editor, [owner, stranger], former);
    await remove(target, { ...canvas, people: { ...canvas.people, owner: editor } });
    await keptFor(editor, [owner, stranger], slug);
    refused(await create(used, editor), 409, "SLUG_TAKEN");
  });

  it("a person who is deactivated keeps the slug", async () => {
    const canvas = await published();
    await purge(canvas);
    await env.db.run`update users set deactivated_at = 1 where email = ${canvas.people.owner.email}`;
    refused(await create(canvas.slug, canvas.people.stranger), 409, "SLUG_TAKEN");
  });

  it("without a slug, a canvas of the same title gets another one", async () => {
    const canvas = await published();
    await purge(canvas);
    const body = { title: canvas.slug };
    const made = await manage(target, canvas.people.stranger, "POST", "/api/canvases", body);
    assert.equal(made.status, 201, made.text);
    assert.ok(String(made.json.slug).startsWith(`${canvas.slug}-`));
  });

  it("a text that no slug can be is refused before the database sees it", async () => {
    const { id, people } = await stage(target);
    for (const slug of ["\0", "a\0b", "\ud800", "'", "%", "a".repeat(64)])
      refused(
        await manage(target, people.owner, "PATCH", `/api/canvases/${id}`, { slug }),
        400,
        "INVALID_BODY",
      );
  });
});
