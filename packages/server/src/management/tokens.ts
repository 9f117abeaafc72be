import { LIMITS } from "@easel/protocol/limits";
import { z } from "zod";
import { createToken, deleteToken, listTokens } from "../auth/tokens.ts";
import { isId } from "../kit/ids.ts";
import { readJson } from "../kit/json-body.ts";
import { refuse } from "../kit/refusal.ts";
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
      return ok({ tokens: await listTokens(call.person, env) });
    },
    POST: {
      act: "token.create",
      run: async (call, env) => {
        requireBrowser(call);
        const { name, expiresAt } = await readJson(call.request, NewToken);
        const made = await createToken(call.person, { name, expiresAt }, env);
        return created(made, { target: made.id, details: { name, expiresAt } });
      },
    },
  },
  "/tokens/:id": {
    DELETE: {
      act: "token.delete",
      run: async (call, env) => {
        requireBrowser(call);
        const { id = "" } = call.params;
        if (!isId(id) || !(await deleteToken(id, call.person, env))) refuse("NOT_FOUND");
        return done({ target: id });
      },
    },
  },
};
