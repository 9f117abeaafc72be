import { LIMITS } from "@easel/protocol/limits";
import { z } from "zod";
import { isId } from "../crypto/ids.ts";
import { refuse } from "../http/refusal.ts";
import { createToken, deleteToken, listTokens } from "../identity/tokens.ts";
import { act, actWithJson } from "./act.ts";
import { label, later } from "./fields.ts";
import { created, done, ok, type Routes, requireBrowser } from "./route.ts";

const NewToken = z.strictObject({
  name: label(LIMITS.nameLength.value),
  expiresAt: later.nullable().default(null),
});

/** Personal access tokens (management API, section 2). Only a person can make or end one, not another token. */
export const tokens: Routes = {
  "/tokens": {
    async GET(call, env) {
      requireBrowser(call);
      return ok({ tokens: await listTokens(call.user, env) });
    },
    POST: actWithJson("token.create", NewToken, {
      may: async (call) => requireBrowser(call),
      async run({ user }, _own, given, env) {
        const made = await createToken(user, given, env);
        return created(made, { target: made.id, details: given });
      },
    }),
  },
  "/tokens/:id": {
    DELETE: act("token.delete", {
      may: async (call) => requireBrowser(call),
      async run({ user, params: { id = "" } }, _own, env) {
        if (!isId(id) || !(await deleteToken(id, user, env))) refuse("NOT_FOUND");
        return done({ target: id });
      },
    }),
  },
};
