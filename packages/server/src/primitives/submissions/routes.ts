import { LIMITS } from "@easel/protocol/limits";
import { manages } from "../../access/roles.ts";
import { isId } from "../../crypto/ids.ts";
import type { Env } from "../../env.ts";
import { parseJson, readBody } from "../../http/body.ts";
import { strictLimit } from "../../http/query.ts";
import { refuse } from "../../http/refusal.ts";
import type { Call, Primitive } from "../primitive.ts";
import { listed, type ReadSlice } from "../streamed-list.ts";
import { withBody } from "../with-body.ts";
import { submissionsData } from "./data.ts";
import { type Submission, SubmissionStore } from "./store.ts";

const OK = '{"ok":true}';
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$/;

const MOST_BYTES = LIMITS.submissionBytes.value;
const tooLarge = () => refuse("VALUE_TOO_LARGE");

const textOf = ({ userId, value, updatedAt }: Submission) =>
  `{"userId":${JSON.stringify(userId)},"value":${value},"updatedAt":${updatedAt}}`;

/** The collection that a path names. */
function storeOf({ params, canvas }: Call, { db }: Env): SubmissionStore {
  const { collection = "" } = params;
  if (!NAME.test(collection)) {
    refuse("INVALID_BODY", {
      message: "A collection's name has 1 to 80 letters, digits, dots, underscores or hyphens.",
    });
  }
  return new SubmissionStore(db, canvas.id, collection);
}

/** The same for owners and editors only. */
const managedStoreOf = (call: Call, env: Env): SubmissionStore =>
  manages(call.role) ? storeOf(call, env) : refuse("PERMISSION_DENIED");

/** One answer per person and collection: one's own, and all of them for owners and editors (specification 4.9). */
export const submissions: Primitive = {
  capability: "kv",
  data: submissionsData,
  routes: {
    "/submissions/:collection/mine": {
      async GET(call, env) {
        const found = await storeOf(call, env).get(call.user.id);
        return found === undefined ? refuse("NOT_FOUND") : textOf(found);
      },
      PUT: withBody({
        may: storeOf,
        read: ({ request }, { turns }) => readBody(request, MOST_BYTES, tooLarge, turns),
        async run({ user }, store, body, env) {
          const value = JSON.stringify(parseJson(body));
          // A number may be longer as it is kept than as it was sent.
          if (Buffer.byteLength(value) > MOST_BYTES) tooLarge();
          const updatedAt = env.clock();
          if (!(await store.put(user.id, value, updatedAt))) refuse("KEY_LIMIT");
          return textOf({ userId: user.id, value, updatedAt });
        },
      }),
      async DELETE(call, env) {
        await storeOf(call, env).delete(call.user.id);
        return OK;
      },
    },
    "/submissions/:collection": {
      async GET(call, env) {
        managedStoreOf(call, env);
        const cursor = call.query.cursor ?? "";
        if (typeof cursor !== "string" || (cursor !== "" && !isId(cursor))) {
          refuse("INVALID_BODY", { message: "`cursor` is none of this list." });
        }
        const read: ReadSlice<Submission> = (now, limit, after) =>
          managedStoreOf(now, env).list({ cursor: after ?? String(cursor), limit });
        return listed(call, strictLimit(call.query), read, textOf);
      },
      async DELETE(call, env) {
        await managedStoreOf(call, env).clear();
        return OK;
      },
    },
    "/submissions/:collection/:user": {
      async DELETE(call, env) {
        const store = managedStoreOf(call, env);
        const { user = "" } = call.params;
        if (!isId(user)) refuse("INVALID_BODY", { message: "That is no id of a person." });
        await store.delete(user);
        return OK;
      },
    },
  },
};
