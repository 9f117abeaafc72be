import { isId } from "../crypto/ids.ts";
import { refuse } from "../http/refusal.ts";
import { listSessions, revokeSession } from "../identity/session.ts";
import { act } from "./act.ts";
import { noContent, ok } from "./response-spec.ts";
import { sessionList } from "./responses/account.ts";

/** The endpoints for the caller's sessions. */
export const sessions = [
  act({
    name: "session.list",
    method: "GET",
    path: "/api/sessions",
    summary: "Lists where the caller is signed in.",
    details: "`current` marks the session of this request.",
    allow: "session",
    response: ok(sessionList),
    async run({ user, credential }, env) {
      const current = credential?.kind === "session" ? credential.id : null;
      const rows = await listSessions(user, env);
      return { body: { sessions: rows.map((row) => ({ ...row, current: row.id === current })) } };
    },
  }),
  act({
    name: "session.revoke",
    method: "DELETE",
    path: "/api/sessions/{id}",
    summary: "Signs the caller out of one session.",
    allow: "session",
    affects: "people",
    response: noContent,
    async run({ user, params: { id } }, env) {
      if (!isId(id) || !(await revokeSession(id, user, env))) refuse("NOT_FOUND");
      return { body: undefined, audit: { target: id } };
    },
  }),
];
