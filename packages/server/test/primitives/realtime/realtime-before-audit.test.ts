import { after, it } from "node:test";
import { share } from "@easel/conformance/fixture";
import { line } from "@easel/conformance/realtime/line";
import { room } from "@easel/conformance/realtime/room";
import { same } from "@easel/conformance/same";
import { type Db, textOf } from "../../../src/drivers/db/db.ts";
import { changedDb } from "../../support/changed-db.ts";
import { onSqlite } from "../../support/engines.ts";
import { startNode } from "./realtime-node.ts";

await onSqlite("a change of access", (main, env) => {
  it("reaches open connections before it is in the audit log", async () => {
    const { promise: kept, resolve: keep } = Promise.withResolvers<void>();
    const run: Db["run"] = async (text, ...values) => {
      if (textOf(text).includes("insert into audit")) await kept;
      return env.db.run(text, ...values);
    };
    const here = await room(main);
    const { target } = await startNode({ after }, env, { db: changedDb(env.db, { run }) });
    const viewer = await line(target, after)(here, here.people.viewer);
    const shared = share(target, here, "private", {});
    try {
      same(await viewer.end(), { code: 4401, frames: [] });
    } finally {
      keep();
      await shared;
    }
  });
});
