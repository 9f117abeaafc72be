import { z } from "zod";
import { isId } from "../../crypto/ids.ts";
import { refuse } from "../../http/refusal.ts";
import { endGuestsOf, listGuestsOf } from "../../identity/guests.ts";
import { listSessions, revokeOtherSessions, revokeSession } from "../../identity/session.ts";
import { signOutEveryone, signOutUser } from "../../identity/sign-out.ts";
import { act, noContent, ok } from "../act.ts";
import { optionalJson } from "../bodies.ts";
import { longPage } from "../list-query.ts";
import { sessionList } from "../responses/account.ts";
import { endedCount, invitedGuestList } from "../responses/admin.ts";
import { userOf } from "./users.ts";

const SignOut = z.strictObject({ tokens: z.boolean().default(true) });

const Everyone = z.object({
  tokens: z
    .enum(["true", "false"])
    .default("false")
    .meta({ description: "`true` also ends the access tokens and connected tools of everyone." })
    .transform((given) => given === "true"),
});

/** Builds the query parameters that select one of several by its id. */
const one = <Name extends string>(name: Name, what: string) =>
  z.object({
    [name]: z
      .string()
      .refine(isId, "is not an id")
      .optional()
      .meta({ description: `Only the ${what} with this id; absent for all.` }),
  } as Record<Name, z.ZodOptional<z.ZodString>>);

/**
 * The endpoints with which administrators see and end what lets people in: sessions, tokens, connected tools, and the guests whom a person has
 * invited (docs/people.md).
 */
export const credentials = [
  act({
    name: "user.sessions",
    method: "GET",
    path: "/api/admin/users/{id}/sessions",
    summary: "Lists where a user is signed in, newest first.",
    details: "`current` marks the session of this request.",
    allow: "administrator",
    response: ok(sessionList),
    async run({ params: { id }, credential }, env) {
      const current = credential?.kind === "session" ? credential.id : null;
      const rows = await listSessions(await userOf(id, env), env);
      return { body: { sessions: rows.map((row) => ({ ...row, current: row.id === current })) } };
    },
  }),
  act({
    name: "user.end-sessions",
    method: "DELETE",
    path: "/api/admin/users/{id}/sessions",
    summary: "Ends the sessions of a user, or one of them.",
    details:
      "Access tokens and connected tools go on. Open connections end, too. 404 `NOT_FOUND` if `session` is none of theirs.",
    allow: "administrator",
    affects: "people",
    query: one("session", "session"),
    response: ok(endedCount),
    async run({ params: { id }, query: { session } }, env) {
      const user = await userOf(id, env);
      const ended =
        session === undefined
          ? await revokeOtherSessions(null, user, env)
          : Number(await revokeSession(session, user, env));
      if (session !== undefined && ended === 0) refuse("NOT_FOUND");
      const details = { email: user.email, ended, ...(session !== undefined && { session }) };
      return { body: { ended }, audit: { target: id, details } };
    },
  }),
  act({
    name: "user.sign-out",
    method: "POST",
    path: "/api/admin/users/{id}/sign-out",
    summary: "Ends every session, access token and connected tool of a user, who may sign in again.",
    details:
      "With `tokens: false` only the sessions, so that programs of the user go on. Behind a proxy that signs people in, the proxy's own sessions go on.",
    allow: "administrator",
    affects: "people",
    body: optionalJson(SignOut),
    response: noContent,
    async run({ params: { id }, body }, env) {
      const { email } = await userOf(id, env);
      if (!(await signOutUser(id, body, env))) refuse("NOT_FOUND");
      return { body: undefined, audit: { target: id, details: { email, ...body } } };
    },
  }),
  act({
    name: "session.end-all",
    method: "DELETE",
    path: "/api/admin/sessions",
    summary: "Signs everyone out, guests too, except the session of this request.",
    details:
      "For an incident. Everyone may sign in again, guests by their link as long as it is valid. Open connections end, too. `ended` counts sessions.",
    allow: "administrator",
    affects: "people",
    query: Everyone,
    response: ok(endedCount),
    async run({ user, credential, query: { tokens } }, env) {
      const kept = credential?.kind === "session" ? credential.id : null;
      const ended = await signOutEveryone({ kept, tokens }, env);
      return { body: { ended }, audit: { target: user.id, details: { ended, tokens } } };
    },
  }),
  act({
    name: "user.guests",
    method: "GET",
    path: "/api/admin/users/{id}/guests",
    summary: "Lists the guests whom a user has invited, newest first, on all canvases.",
    details: "Revoked invitations are left out.",
    allow: "administrator",
    query: longPage,
    response: ok(invitedGuestList),
    async run({ params: { id }, query }, env) {
      await userOf(id, env);
      const { entries, nextCursor } = await listGuestsOf(id, query, env);
      return { body: { guests: entries, nextCursor } };
    },
  }),
  act({
    name: "user.end-guests",
    method: "DELETE",
    path: "/api/admin/users/{id}/guests",
    summary:
      "Revokes the invitations that a user has made, or one of them, and ends the sessions of these guests.",
    details: "404 `NOT_FOUND` if `invite` is none of theirs.",
    allow: "administrator",
    affects: "people",
    query: one("invite", "invitation"),
    response: ok(endedCount),
    async run({ params: { id }, query: { invite } }, env) {
      const { email } = await userOf(id, env);
      const ended = await endGuestsOf(id, invite ?? null, env);
      if (invite !== undefined && ended === 0) refuse("NOT_FOUND");
      const details = { email, ended, ...(invite !== undefined && { invite }) };
      return { body: { ended }, audit: { target: id, details } };
    },
  }),
];
