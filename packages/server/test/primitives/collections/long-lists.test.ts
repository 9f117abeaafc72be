import assert from "node:assert/strict";
import { before, it } from "node:test";
import type { Entry } from "@easel/conformance/collections/entry";
import type { Stage } from "@easel/conformance/fixture";
import { send } from "@easel/conformance/http";
import type { Page } from "@easel/conformance/page";
import { collecting } from "@easel/conformance/policy";
import { type ConnectedTool, connectTool } from "../../support/connected-tool.ts";
import { onEngines } from "../../support/engines.ts";
import { zip } from "../../support/zip.ts";

const COUNT = 2_600;
/** The first records of the list in order of creation that do not match. */
const EARLY = 1_300;

interface Value {
  n: number;
  tag: string;
  same: number;
}

const VALUES: Value[] = Array.from({ length: COUNT }, (_, index) => ({
  n: (index * 7_919) % 1_000,
  tag: index >= EARLY && index % 50 === 0 ? "hit" : "miss",
  same: 1,
}));

await onEngines("long lists with conditions", (target, env) => {
  let canvas: Stage;
  let tool: ConnectedTool;
  before(async () => {
    canvas = await collecting(target, {
      all: { preset: "contributions" },
      own: { preset: "personal" },
    });
    tool = await connectTool(target.base, canvas.people.owner, { scope: "read" }, env);
    const lines = VALUES.map((value) => JSON.stringify({ value })).join("\n");
    const archive = await zip({
      "manifest.json": JSON.stringify({ format: "easel-data", version: 1 }),
      "collections/all.jsonl": lines,
      "collections/own.jsonl": lines,
    });
    const { status, text } = await send(target.base, {
      method: "POST",
      path: `/api/canvases/${canvas.id}/import`,
      headers: [...canvas.people.owner.headers, ["Content-Type", "application/zip"]],
      body: archive,
    });
    assert.equal(status, 200, text);
  });

  /** Reads a whole list in pages of a limit. */
  const listOf = async (page: Page, name: string, query: Record<string, string>, limit: number) => {
    const entries: Entry[] = [];
    for (let cursor: string | null = null, pages = 0; pages < COUNT; pages++) {
      const asked = new URLSearchParams({
        ...query,
        limit: String(limit),
        ...(cursor !== null && { cursor }),
      });
      const { status, text, json } = await page.get(`/collections/${name}?${asked}`);
      assert.equal(status, 200, text);
      entries.push(...(json.entries as Entry[]));
      cursor = json.nextCursor as string | null;
      if (cursor === null) return entries.map(({ id, value }) => ({ id, ...(value as unknown as Value) }));
      assert.equal((json.entries as Entry[]).length, limit, "a page that is not the last one is full");
    }
    return assert.fail("the list never ends");
  };

  const WHERE = { "value.same": 1, "value.tag": { gte: "h", lt: "i" } };
  const where = JSON.stringify(WHERE);
  for (const name of ["all", "own"])
    for (const orderBy of ["createdAt", "-createdAt", "updatedAt", "-updatedAt", "value.n", "-value.n"])
      it(`${name} by ${orderBy}: each page is valid, and together they are the list`, async () => {
        const { owner } = canvas.pages;
        const whole = await listOf(owner, name, { where, orderBy }, 1_000);
        const hits = VALUES.filter(({ tag }) => tag === "hit");
        assert.deepEqual(
          whole.map(({ n }) => n).toSorted((a, b) => a - b),
          hits.map(({ n }) => n).toSorted((a, b) => a - b),
        );
        for (const limit of [1, 7, hits.length, hits.length + 1])
          assert.deepEqual(await listOf(owner, name, { where, orderBy }, limit), whole, String(limit));
        if (orderBy.endsWith("value.n")) {
          const sorted = whole.toSorted((a, b) => a.n - b.n || (a.id < b.id ? -1 : 1));
          assert.deepEqual(whole, orderBy.startsWith("-") ? sorted.toReversed() : sorted);
        }
        const reversed = await listOf(
          owner,
          name,
          { where, orderBy: orderBy.startsWith("-") ? orderBy.slice(1) : `-${orderBy}` },
          1_000,
        );
        assert.deepEqual(reversed, whole.toReversed());
      });

  it("a tool reads what matches, too", async () => {
    const { entries } = await tool.use<{ entries: Entry[] }>("read_data", {
      ...{ canvas: canvas.slug, what: "records", name: "all", where: WHERE, orderBy: "updatedAt" },
    });
    assert.ok(entries.length > 0);
    assert.ok(entries.every(({ value }) => (value as unknown as Value).tag === "hit"));
  });

  it("records of a sorted page that go while it is read are left out, and the page goes on", async () => {
    const { owner } = canvas.pages;
    const before = await listOf(owner, "own", { orderBy: "value.n" }, 1_000);
    assert.equal(before.length, COUNT);
    const gone = before.slice(30, 60);
    await Promise.all([
      owner.get("/collections/own?orderBy=value.n&limit=50").then(({ json }) => {
        assert.equal((json.entries as Entry[]).length, 50);
      }),
      ...gone.map(({ id }) => owner.delete(`/collections/own/${id}`)),
    ]);
    const left = await listOf(owner, "own", { orderBy: "value.n" }, 50);
    assert.deepEqual(left, [...before.slice(0, 30), ...before.slice(60)]);
  });
});
