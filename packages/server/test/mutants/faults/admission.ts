import { type Fault, fault } from "../fault.ts";

const GUARDED = "packages/server/src/drivers/db/postgres/guarded-db.ts";
const EPOCHS = "packages/server/migrations/postgres/0042_access_epochs.sql";
const OF_EPOCHS = "packages/server/test/drivers/postgres-epochs.test.ts";
const OF_GUARD = "packages/server/test/drivers/postgres-guarded.test.ts";
const REPEATED = "packages/server/test/pipeline/repeated-calls.test.ts";

/** Faults of calls that are admitted by rows from memory. */
export const admission: Fault[] = [
  fault(
    "admission: the epochs are not compared",
    GUARDED,
    "= cast(? as bigint)`;",
    ">= cast(? as bigint)`;",
    "packages/server/test/pipeline/stale-access.test.ts",
    "packages/server/test/pipeline/current-access.test.ts",
  ),
  fault(
    "admission: a write goes on with stale rows",
    GUARDED,
    "else fail_stale_rows() end",
    "else true end",
    OF_GUARD,
    REPEATED,
  ),
  fault(
    "admission: a row that another call did not find is missing",
    GUARDED,
    "if (own) return undefined;",
    "return undefined;",
    OF_GUARD,
  ),
  fault(
    "admission: rows that disagree about an epoch are used together",
    GUARDED,
    "known === id && other !== epoch",
    "false",
    OF_GUARD,
  ),
  fault(
    "admission: stale rows stay in memory",
    GUARDED,
    "    this.#rows.forget(this.#used);\n",
    "",
    OF_GUARD,
  ),
  fault(
    "admission: a change of a team raises no epoch",
    EPOCHS,
    "after insert or update or delete on team_members",
    "after update on team_members",
    OF_EPOCHS,
  ),
  fault(
    "admission: the end of a session raises no epoch",
    EPOCHS,
    "after update or delete on sessions",
    "after update on sessions",
    OF_EPOCHS,
  ),
  fault(
    "admission: a change of a canvas raises no epoch",
    EPOCHS,
    "after update or delete on canvases",
    "after delete on canvases",
    OF_EPOCHS,
  ),
  fault(
    "admission: a refusal by stale rows is sent",
    "packages/server/src/pipeline/optimistic.ts",
    "if (!(error instanceof Refusal)) return true;",
    "return true;",
    REPEATED,
  ),
  fault(
    "admission: an answer by stale rows is sent",
    "packages/server/src/primitives/mount.ts",
    "    if (verify !== null) await verify();\n    if (typeof answer",
    "    if (typeof answer",
    REPEATED,
  ),
  fault(
    "admission: an operation has effects before its rows are verified",
    "packages/server/src/primitives/mount.ts",
    "verify !== null && !(optimistic && operation.body?.slow !== true)",
    "false",
    REPEATED,
  ),
  fault(
    "admission: a page is sent by stale rows",
    "packages/server/src/content/serve.ts",
    "  if (verify !== null) await verify();\n",
    "",
    "packages/server/test/pipeline/current-access.test.ts",
  ),
  fault(
    "admission: a repeated call is counted again",
    "packages/server/src/pipeline/request-limits.ts",
    "if (visit.countedIn !== undefined) await giveBack(visit.countedIn, env);",
    "",
    REPEATED,
  ),
  fault(
    "admission: a repeated call reads its body again",
    "packages/server/src/operations/request-input.ts",
    "this.#bytes ??= readBody",
    "this.#bytes = readBody",
    REPEATED,
  ),
  fault(
    "admission: rows are not remembered",
    "packages/server/src/drivers/db/postgres/remembered-rows.ts",
    "    this.#rows.set(key, remembered);\n",
    "",
    "packages/server/test/pipeline/round-trips.test.ts",
    OF_GUARD,
  ),
  fault(
    "admission: a body that came with its head is taken for a late one",
    "packages/server/src/http/body.ts",
    "encoding === undefined && request",
    "encoding !== undefined && request",
    "packages/server/test/pipeline/round-trips.test.ts",
  ),
];
