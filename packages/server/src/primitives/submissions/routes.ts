import { LIMITS } from "@easel/protocol/limits";
import { isId } from "../../crypto/ids.ts";
import type { Env } from "../../env.ts";
import { parseJson, readBody } from "../../http/body.ts";
import { strictLimit } from "../../http/query.ts";
import { refuse } from "../../http/refusal.ts";
import { type Call, type Primitive, withBody } from "../primitive.ts";
import { type ReadSlice, streamList } from "../streamed-list.ts";
import { absent } from "../value.ts";
import { openSubmissions, tooLarge, valueText } from "./open-submissions.ts";
import { submissionsOperations } from "./operations.ts";
import { type Submission, submissionsData, submissionText } from "./store.ts";

const OK = '{"ok":true}';
const nameIn = ({ params }: Call) => params.collection ?? "";
const ownStore = (call: Call, env: Env) => openSubmissions("canSubmit", call, nameIn(call), env);
const managedStore = (call: Call, env: Env) =>
  openSubmissions("canManageSubmissions", call, nameIn(call), env);

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
        return found === undefined ? absent(call) : submissionText(found);
      },
      PUT: withBody({
        may: ownStore,
        read: ({ request }, { turns }) =>
          readBody(request, LIMITS.submissionBytes.value, tooLarge, { turns }),
        async run({ user }, store, body, env) {
          const value = valueText(parseJson(body));
          const updatedAt = env.clock();
          if (!(await store.put(user.id, value, updatedAt))) refuse("KEY_LIMIT");
          return submissionText({ userId: user.id, value, updatedAt });
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
        return streamList(call, strictLimit(call.query), read, submissionText);
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
