import { z } from "zod";
import { isId } from "../../crypto/ids.ts";
import { refuse } from "../../http/refusal.ts";
import { endApps, endAppsOfClient, listApps } from "../../identity/app-list.ts";
import { listClients, tokensInUse } from "../../organisation/app-clients.ts";
import { act, ok } from "../act.ts";
import { json } from "../bodies.ts";
import { longPage, text } from "../list-query.ts";
import { appList, clientList, endedApps } from "../responses/apps.ts";
import { userOf } from "./users.ts";

const Clients = z.object({
  cursor: text("`nextCursor` of the previous page; absent for the first page."),
  limit: longPage.shape.limit,
});

const End = z.strictObject({
  client: z
    .string()
    .min(1)
    .max(2_000)
    .refine((given) => !given.includes("\0"), "must not contain a NUL character"),
});

const Which = z.object({
  app: z
    .string()
    .refine(isId, "is not an id")
    .optional()
    .meta({ description: "Only the connected tool with this id; absent for all." }),
});

/** The endpoints with which administrators see and end the connected tools of all people (docs/http/management.md#administration). */
export const adminApps = [
  act({
    name: "app.clients",
    method: "GET",
    path: "/api/admin/apps",
    summary: "Lists the programs that people have connected, by their ids.",
    details:
      "`people` counts those who have connected a program, `tools` how often. `tokens` are the access tokens for AI tools that people have created themselves.",
    allow: "administrator",
    query: Clients,
    response: ok(clientList),
    async run({ query: { cursor: after = "", limit } }, env) {
      const [{ entries, nextCursor }, tokens] = await Promise.all([
        listClients({ after, limit }, env),
        tokensInUse(env),
      ]);
      return { body: { clients: entries, tokens, nextCursor } };
    },
  }),
  act({
    name: "app.end-client",
    method: "POST",
    path: "/api/admin/apps/end",
    summary: "Ends the connected tools that all people have of one program.",
    details:
      "People can connect the program again, unless [the settings](../settings.md) exclude it. A request that was interrupted can be repeated. 404 `NOT_FOUND` for a program that nobody has connected.",
    allow: "administrator",
    affects: "people",
    body: json(End),
    response: ok(endedApps),
    errors: ["NOT_FOUND"],
    async run({ body: { client } }, env) {
      const ended = await endAppsOfClient(client, env);
      if (ended === 0) refuse("NOT_FOUND");
      return { body: { ended }, audit: { target: client, details: { ended } } };
    },
  }),
  act({
    name: "user.apps",
    method: "GET",
    path: "/api/admin/users/{id}/apps",
    summary: "Lists the connected tools of a user, newest first.",
    details: "The title of a canvas is there if the user has a role on it.",
    allow: "administrator",
    query: longPage,
    response: ok(appList),
    async run({ params: { id }, query }, env) {
      const { entries, nextCursor } = await listApps(await userOf(id, env), query, env);
      return { body: { apps: entries, nextCursor } };
    },
  }),
  act({
    name: "user.end-apps",
    method: "DELETE",
    path: "/api/admin/users/{id}/apps",
    summary: "Ends the connected tools of a user, or one of them.",
    details: "404 `NOT_FOUND` if `app` is none of theirs.",
    allow: "administrator",
    affects: "people",
    query: Which,
    response: ok(endedApps),
    async run({ params: { id }, query: { app = null } }, env) {
      const { email } = await userOf(id, env);
      const ended = await endApps(app, id, env);
      if (app !== null && ended === 0) refuse("NOT_FOUND");
      const details = { email, ended, ...(app !== null && { app }) };
      return { body: { ended }, audit: { target: id, details } };
    },
  }),
];
