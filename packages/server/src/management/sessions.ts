import { isId } from "../crypto/ids.ts";
import { refuse } from "../http/refusal.ts";
import { findSession, listSessions, revokeSession } from "../identity/session.ts";
import { act } from "./act.ts";
import { done, ok, type Routes, requireBrowser } from "./route.ts";

/** Where one is signed in, and signing out there. */
export const sessions: Routes = {
  "/sessions": {
    async GET(call, env) {
      requireBrowser(call);
      const current = await findSession(call.request, null, env);
      const listed = await listSessions(call.user, env);
      return ok({ sessions: listed.map((each) => ({ ...each, current: each.id === current?.id })) });
    },
  },
  "/sessions/:id": {
    DELETE: act("session.revoke", {
      may: async (call) => requireBrowser(call),
      async run({ user, params: { id = "" } }, _own, env) {
        if (!isId(id) || !(await revokeSession(id, user, env))) refuse("NOT_FOUND");
        return done({ target: id });
      },
    }),
  },
};
