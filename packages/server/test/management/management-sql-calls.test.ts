import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import { open } from "@easel/conformance/page";
import type { Target } from "@easel/conformance/target";
import { type Db, type Sql, statementOf, textOf } from "../../src/drivers/db/db.ts";
import { publish, share } from "../primitives/authoring/share-form.ts";
import { startNode } from "../primitives/realtime/realtime-node.ts";
import { changedDb } from "../support/changed-db.ts";
import { onSqlite } from "../support/engines.ts";

/** Wraps a database: `calls` are the calls of its methods with the statements of each. */
function counting(db: Db): { db: Db; calls: string[][] } {
  const calls: string[][] = [];
  const noted = <Result>(statements: Sql[], call: () => Promise<Result>): Promise<Result> => {
    calls.push(statements.map(([text]) => textOf(text).replace(/\s+/g, " ").trim()));
    return call();
  };
  const counted = changedDb(db, {
    get: (...each) => noted([each], () => db.get(...each)),
    getCached: (text, ...values) => noted([[text]], () => db.getCached(text, ...values)),
    all: (...each) => noted([each], () => db.all(...each)),
    head: (size, ...each) => noted([each], () => db.head(size, ...each)),
    run: (...each) => noted([each], () => db.run(...each)),
    returning: (...each) => noted([each], () => db.returning(...each)),
    batch: (steps) => noted(steps.map(statementOf), () => db.batch(steps)),
  });
  return { db: counted, calls };
}

await onSqlite(
  "calls of the database",
  (main, env) => {
    const { db, calls } = counting(env.db);
    let target: Target;
    let site: Stage;
    before(async () => {
      site = await stage(main, { switches: { authoring: true } });
      ({ target } = await startNode({ after }, env, { db }));
    });

    /** Requires that a request makes at most `most` calls of the database, without those of work in the background: compressions. */
    const within = async (most: number, request: () => Promise<unknown>) => {
      calls.length = 0;
      await request();
      const made = calls.filter(([text]) => !text?.includes(" compressed = "));
      assert.ok(
        made.length <= most,
        `${made.length} calls:\n${made.map((each) => each.join("\n  + ")).join("\n")}`,
      );
    };

    it("PATCH /api/canvases/{id} makes at most 5", async () => {
      const change = (title: string) => () =>
        manage(target, site.people.owner, "PATCH", `/api/canvases/${site.id}`, { title });
      await change("Tea")();
      await within(5, change("Coffee"));
    });

    it("POST /authoring makes at most 12", async () => {
      const page = open(target, site.slug, site.people.viewer);
      let made = 0;
      const publishing = async () => share(await publish(page, { title: `Tea ${++made}` }));
      await publishing();
      await within(12, publishing);
    });
  },
  { SERVICE_AUTHORING: "on" },
);
