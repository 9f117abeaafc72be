import { LIMITS } from "@easel/protocol/limits";
import { z } from "zod";
import { isId } from "../../crypto/ids.ts";
import type { Env } from "../../env.ts";
import { strictLimit } from "../../http/query.ts";
import { refuse } from "../../http/refusal.ts";
import { type Parameters, refuseExisting } from "../../operations/operation.ts";
import { jsonBody } from "../../operations/operation-body.ts";
import { json, nextCursor, OK, ok, paging } from "../description.ts";
import { operation, type Primitive, type RuntimeCaller } from "../primitive.ts";
import { type ReadSlice, streamList } from "../streamed-list.ts";
import { absent, optionalRead, orAbsent } from "../value.ts";
import {
  openSubmissions,
  type Submission,
  submissionsData,
  submissionText,
  tooLarge,
  valueText,
} from "./store.ts";

const submission = z
  .strictObject({ userId: z.string(), value: z.json(), updatedAt: z.int() })
  .meta({ id: "Submission" });

const page = z.strictObject({ entries: z.array(submission), nextCursor }).meta({ id: "SubmissionPage" });

const list: Parameters<{ cursor: string; limit: number }> = {
  schema: z.object(paging),
  parse(query) {
    const { cursor = "" } = query;
    if (typeof cursor !== "string" || (cursor !== "" && !isId(cursor)))
      return refuse("INVALID_BODY", { message: "`cursor` is none of this list." });
    return { cursor, limit: strictLimit(query) };
  },
};

type InCollection = { params: { collection: string } };

/** Opens the submissions in which the caller has their own. */
const own = (caller: RuntimeCaller, { params: { collection } }: InCollection, env: Env) =>
  openSubmissions("canSubmit", caller, collection, env);

/** Opens the submissions of all people. Throws 403 `PERMISSION_DENIED` unless the caller manages the canvas. */
const managed = (caller: RuntimeCaller, { params: { collection } }: InCollection, env: Env) =>
  openSubmissions("canManageSubmissions", caller, collection, env);

export const setSubmission = operation({
  name: "submission.set",
  cost: "cheap",
  method: "PUT",
  path: "/submissions/{collection}/mine",
  summary: "Creates or replaces the caller's own submission.",
  responses: json("The submission as stored.", submission),
  errors: ["PERMISSION_DENIED", "VALUE_TOO_LARGE", "KEY_LIMIT"],
  may: own,
  body: jsonBody(z.json(), { limit: LIMITS.submissionBytes.value, tooLarge, accept: valueText }),
  async run({ user }, { subject: store, body: value, local }, env) {
    const updatedAt = env.clock();
    if (local.keep) {
      const outcome = await store.create(user.id, value, updatedAt);
      if (outcome === "taken") refuseExisting();
      if (outcome === "full") refuse("KEY_LIMIT");
    } else if (!(await store.put(user.id, value, updatedAt))) refuse("KEY_LIMIT");
    return submissionText({ userId: user.id, value, updatedAt });
  },
});

/**
 * The operations on submissions, of which each person has at most one per collection (specification 4.9). Everyone reads and writes their
 * own; the owner and editors list and delete all.
 */
export const submissions: Primitive = {
  capability: "kv",
  title: "Submissions",
  summary:
    "One JSON value per person and collection. Everyone reads and writes their own; the owner and editors list and delete all. The collections need no policy.",
  data: submissionsData,
  readable: true,
  optimistic: true,
  operations: [
    operation({
      name: "submission.mine",
      cost: "cheap",
      method: "GET",
      path: "/submissions/{collection}/mine",
      summary: "Returns the caller's own submission.",
      responses: json("The submission.", orAbsent(submission)),
      errors: ["PERMISSION_DENIED"],
      may: own,
      query: optionalRead,
      async run({ user }, { subject: store, query }) {
        const found = await store.get(user.id);
        return found === undefined ? absent(query) : submissionText(found);
      },
    }),
    setSubmission,
    operation({
      name: "submission.delete",
      cost: "cheap",
      method: "DELETE",
      path: "/submissions/{collection}/mine",
      summary: "Deletes the caller's own submission.",
      details: "Succeeds also if there is none.",
      responses: ok,
      errors: ["PERMISSION_DENIED"],
      may: own,
      async run({ user }, { subject: store }) {
        await store.delete(user.id);
        return OK;
      },
    }),
    operation({
      name: "submission.list",
      method: "GET",
      path: "/submissions/{collection}",
      summary: "Lists the submissions of all people. For the owner and editors.",
      responses: json("A page of submissions.", page),
      errors: ["PERMISSION_DENIED"],
      may: managed,
      query: list,
      async run(caller, { params, query: { cursor, limit: most }, work }, env) {
        const read: ReadSlice<Submission> = (current, limit, after) =>
          managed(current, { params }, env).list({ cursor: after ?? cursor, limit });
        return streamList(caller, most, read, submissionText, work);
      },
    }),
    operation({
      name: "submission.clear",
      method: "DELETE",
      path: "/submissions/{collection}",
      summary: "Deletes the submissions of all people. For the owner and editors.",
      responses: ok,
      errors: ["PERMISSION_DENIED"],
      may: managed,
      async run(_caller, { subject: store }) {
        await store.clear();
        return OK;
      },
    }),
    operation({
      name: "submission.remove",
      cost: "cheap",
      method: "DELETE",
      path: "/submissions/{collection}/{user}",
      summary: "Deletes the submission of one person. For the owner and editors.",
      details: "Succeeds also if there is none.",
      responses: ok,
      errors: ["PERMISSION_DENIED"],
      may(caller, given, env) {
        const store = managed(caller, given, env);
        if (!isId(given.params.user)) refuse("INVALID_BODY", { message: "That is no id of a person." });
        return store;
      },
      async run(_caller, { subject: store, params: { user } }) {
        await store.delete(user);
        return OK;
      },
    }),
  ],
};
