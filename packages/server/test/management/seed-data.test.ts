import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { easelJson } from "../../src/canvases/publishing/easel-json.ts";
import { firstDataOf } from "../../src/management/seed-examples.ts";
import { startExample } from "../support/service.ts";

const EXAMPLES = `${import.meta.dirname}/../../../../examples`;
const data = JSON.parse(readFileSync(`${EXAMPLES}/first-data.json`, "utf8"));

for (const [slug, { collections = {}, submissions = {}, files = {} }] of Object.entries<
  Record<string, object>
>(data))
  test(`the first data of ${slug} is in collections and file groups of its policy, and is stored once`, async (t) => {
    const { env } = await startExample(t, slug);
    const settings = easelJson.parse(JSON.parse(readFileSync(`${EXAMPLES}/${slug}/easel.json`, "utf8")));
    for (const name of Object.keys(collections))
      assert.ok(Object.hasOwn(settings.policy?.collections ?? {}, name), name);
    for (const name of Object.keys(files))
      assert.ok(Object.hasOwn(settings.policy?.fileGroups ?? {}, name), name);

    const idOf = async (text: string) => {
      const row = await env.db.get<{ id: string }>`
        select id from users where email = ${text} union all select id from canvases where slug = ${text}`;
      return row?.id ?? assert.fail(text);
    };
    const canvas = await idOf(slug);
    const authors = {
      owner: await idOf("dev@example.com"),
      editor: await idOf("editor@example.com"),
      viewer: await idOf("viewer@example.com"),
    };
    await (await firstDataOf(env, authors))(slug, canvas);
    const expected = (lists: object) =>
      Object.values(lists).flatMap((list: { by: keyof typeof authors; value: unknown }[]) =>
        list.map(({ by, value }) => JSON.stringify([authors[by], value])),
      );
    const records = await env.db.all<{ author: string; value: string | null; number: number | null }>`
      select author_id as author, value, number from records where canvas_id = ${canvas} order by id`;
    assert.deepEqual(
      records.map(({ author, value, number }) => JSON.stringify([author, number ?? JSON.parse(value ?? "")])),
      expected(collections),
    );
    const given = await env.db.all<{ author: string; value: string }>`
      select user_id as author, value from submissions where canvas_id = ${canvas}`;
    assert.deepEqual(
      given.map(({ author, value }) => JSON.stringify([author, JSON.parse(value)])).sort(),
      expected(submissions).sort(),
    );
    const stored = await env.db.all<{
      author: string;
      owner: string;
      scope: string;
      name: string;
      key: string;
    }>`
      select uploaded_by as author, owner_id as owner, scope, name, blob_key as key from files
      where canvas_id = ${canvas} order by created_at`;
    assert.deepEqual(
      stored.map(({ author, owner, scope, name }) => [author, owner, scope, name]),
      Object.entries(files).flatMap(([group, list]: [string, { by: keyof typeof authors; name: string }[]]) =>
        list.map(({ by, name }) => [authors[by], authors[by], `group:${group}`, name]),
      ),
    );
    for (const { name, key } of stored)
      assert.deepEqual(
        await buffer((await env.blobs.get(key)) ?? assert.fail(name)),
        readFileSync(`${EXAMPLES}/first-files/${name}`),
      );
  });
