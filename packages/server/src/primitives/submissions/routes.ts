import { LIMITS } from "@easel/protocol/limits";
import type { Permission } from "@easel/protocol/types";
import { isId } from "../../crypto/ids.ts";
import type { Env } from "../../env.ts";
import { parseJson, readBody } from "../../http/body.ts";
import { strictLimit } from "../../http/query.ts";
import { refuse } from "../../http/refusal.ts";
import type { Call, Primitive } from "../primitive.ts";
import { requirePermission } from "../require-permission.ts";
import { type ReadSlice, streamList } from "../streamed-list.ts";
import { withBody } from "../with-body.ts";
import { submissionsData } from "./data.ts";
import { submissionsOperations } from "./operations.ts";
import { type Submission, SubmissionStore } from "./store.ts";

const OK = '{"ok":true}';
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$/;

const MAX_BYTES = LIMITS.submissionBytes.value;
const tooLarge = () => refuse("VALUE_TOO_LARGE");

const textOf = ({ userId, value, updatedAt }: Submission) =>
  `{"userId":${JSON.stringify(userId)},"value":${value},"updatedAt":${updatedAt}}`;

/**
 * Returns the store for the submissions of the collection in the path. Throws 403 `PERMISSION_DENIED` if the caller lacks the permission,
 * and 400 `INVALID_BODY` for an invalid name of a collection.
 */
function storeFor(permission: Permission, call: Call, { db }: Env): SubmissionStore {
  requirePermission(call, permission);
  const { collection = "" } = call.params;
  if (!NAME.test(collection)) {
    refuse("INVALID_BODY", {
      message: "A collection's name has 1 to 80 letters, digits, dots, underscores or hyphens.",
    });
  }
  return new SubmissionStore(db, call.canvas.id, collection);
}

const ownStore = (call: Call, env: Env) => storeFor("canSubmit", call, env);
const managedStore = (call: Call, env: Env) => storeFor("canManageSubmissions", call, env);

/**
 * The routes for submissions, of which each person has at most one per collection (specification 4.9). Everyone reads and writes their own;
 * the owner and editors list and delete all.
 */
export const submissions: Primitive = {
  capability: "kv",
  description: submissionsOperations,
  data: submissionsData,
  readable: true,
  routes: {
    "/submissions/:collection/mine": {
      async GET(call, env) {
        const found = await ownStore(call, env).get(call.user.id);
        return found === undefined ? refuse("NOT_FOUND") : textOf(found);
      },
      PUT: withBody({
        may: ownStore,
        read: ({ request }, { turns }) => readBody(request, MAX_BYTES, tooLarge, turns),
        async run({ user }, store, body, env) {
          const value = JSON.stringify(parseJson(body));
          // The stored text can be longer than the text that was sent: `1e20` is stored as 21 digits.
          if (Buffer.byteLength(value) > MAX_BYTES) tooLarge();
          const updatedAt = env.clock();
          if (!(await store.put(user.id, value, updatedAt))) refuse("KEY_LIMIT");
          return textOf({ userId: user.id, value, updatedAt });
        },
      }),
      async DELETE(call, env) {
        await ownStore(call, env).delete(call.user.id);
        return OK;
      },
    },
    "/submissions/:collection": {
      async GET(call, env) {
        managedStore(call, env);
        const cursor = call.query.cursor ?? "";
        if (typeof cursor !== "string" || (cursor !== "" && !isId(cursor))) {
          refuse("INVALID_BODY", { message: "`cursor` is none of this list." });
        }
        const read: ReadSlice<Submission> = (now, limit, after) =>
          managedStore(now, env).list({ cursor: after ?? String(cursor), limit });
        return streamList(call, strictLimit(call.query), read, textOf);
      },
      async DELETE(call, env) {
        await managedStore(call, env).clear();
        return OK;
      },
    },
    "/submissions/:collection/:user": {
      async DELETE(call, env) {
        const store = managedStore(call, env);
        const { user = "" } = call.params;
        if (!isId(user)) refuse("INVALID_BODY", { message: "That is no id of a person." });
        await store.delete(user);
        return OK;
      },
    },
  },
};
