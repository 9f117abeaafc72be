import { z } from "zod";
import { readCallLog, writeCallLog } from "../canvases/call-log-store.ts";
import { act } from "./act.ts";
import { page } from "./list-query.ts";
import { ok } from "./response-spec.ts";
import { callLogPage } from "./responses/canvas.ts";

const CURSOR = /^(\d{1,15})-(\d{1,15})$/;

const Query = z.object({
  after: z
    .string()
    .regex(CURSOR, "is not a cursor of this list")
    .meta({ description: "`next` of the previous response; absent for the newest calls." })
    .optional()
    .transform((after) => {
      const [, number, dropped] = CURSOR.exec(after ?? "") ?? [];
      return number === undefined ? null : { number: Number(number), dropped: Number(dropped) };
    }),
  limit: page.shape.limit,
});

/** The endpoint that returns the refused and failed runtime calls of a canvas (docs/help.md#where-errors-are). */
export const callLog = [
  act({
    name: "canvas.log",
    method: "GET",
    path: "/api/canvases/{id}/log",
    summary: "Returns the refused and failed calls to the runtime API of a canvas, oldest first.",
    details:
      "Calls are kept for 7 days; those of anonymous callers and of people without a role have a limit of their own, so that they push out no others. Without `after`, the newest ones are returned. To follow the log, request it again with `next` as `after`. `dropped` counts the calls since `after` that are not in the log because there were too many. In `route`, ids and keys of single users are placeholders. The `status` of a WebSocket that the service has closed is its close code.",
    allow: "editor",
    query: Query,
    response: ok(callLogPage),
    async run({ canvas: { id }, query }, env) {
      await writeCallLog(env);
      return { body: await readCallLog(id, query, env) };
    },
  }),
];
