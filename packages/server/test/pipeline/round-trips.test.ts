import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { type Stage, stage } from "@easel/conformance/fixture";
import type { Answer } from "@easel/conformance/http";
import { open, type Page } from "@easel/conformance/page";
import { govern } from "@easel/conformance/policy";
import type { Target } from "@easel/conformance/target";
import { tokenOf } from "@easel/conformance/token";
import { type CountingProxy, openCountingProxy } from "../support/counting-proxy.ts";
import { startDev } from "../support/engines.ts";
import { publish, visit } from "../support/publish.ts";
import { atEnd, ENGINES, fileScope } from "../support/service.ts";

const [engine] = ENGINES.filter(({ name }) => name === "postgres");

/** More requests than a node has connections on which it may have to prepare a statement first. */
const REQUESTS = 30;

describe("round trips to PostgreSQL", { skip: engine?.skip }, () => {
  const scope = fileScope();
  let target: Target;
  let canvas: Stage;
  let proxy: CountingProxy;
  let page: Page;
  let record: string;
  before(async () => {
    const url = new URL((await engine?.migratedDatabase(scope)) ?? "");
    proxy = await openCountingProxy(Number(url.port));
    atEnd(scope, async () => proxy.close());
    url.port = String(proxy.port);
    ({ target } = await startDev(scope, { SERVICE_DATABASE_URL: url.href }));
    canvas = await stage(target);
    page = open(target, canvas.slug, canvas.people.owner);
    await publish(target, canvas, { "index.html": "<p>Hello" });
    for (const path of ["/kv/note", "/kv/user/note", "/submissions/poll/mine"])
      assert.equal((await page.put(path, 1)).status, 200);
    await govern(target, canvas, { collections: { board: { preset: "contributions" } } });
    record = `/collections/board/${(await page.post("/collections/board", 1)).json.id}`;
  });

  /** Sends a request until it takes so many round trips, which it does once its statements are prepared on all connections. */
  async function takes(trips: number, send: () => Promise<Answer>): Promise<void> {
    const counts: number[] = [];
    for (let index = 0; index < REQUESTS; index++) {
      const before = proxy.trips;
      assert.equal((await send()).status, 200);
      counts.push(proxy.trips - before);
    }
    // Work in the background, such as the call log, may add a round trip to a single request.
    const expected = counts.slice(REQUESTS / 2).filter((count) => count === trips);
    assert.ok(expected.length > REQUESTS / 4, counts.join(" "));
  }

  const requests: [title: string, send: () => Promise<Answer>][] = [
    ["reading a key", () => page.get("/kv/note")],
    ["writing a key", () => page.put("/kv/note", 2)],
    ["writing a key of one's own", () => page.put("/kv/user/note", 2)],
    ["incrementing a key", () => page.post("/kv/note/increment", { by: 1 })],
    ["listing keys", () => page.get("/kv")],
    ["listing files", () => page.get("/files")],
    ["reading a record", () => page.get(record)],
    ["writing a submission", () => page.put("/submissions/poll/mine", 2)],
    ["reading a file of the canvas", () => visit(target, canvas.slug, canvas.people.owner)],
    [
      "the second path",
      () =>
        open({ ...target, ids: new Map([[canvas.slug, canvas.id]]) }, canvas.slug, canvas.people.owner).get(
          "/kv/note",
        ),
    ],
  ];
  for (const [title, send] of requests) it(`${title} takes one`, () => takes(1, send));

  it("replacing a record takes two: it is read, with its author, before it is written", () =>
    takes(2, () => page.put(record, { a: 2 })));

  it("a program with an access token needs one", async () => {
    const program = open(target, canvas.slug, await tokenOf(target, canvas.people.owner));
    await takes(1, () => program.get("/kv/note"));
  });
});
