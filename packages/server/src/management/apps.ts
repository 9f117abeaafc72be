import { isId } from "../crypto/ids.ts";
import { refuse } from "../http/refusal.ts";
import { endApps, listApps } from "../identity/app-list.ts";
import { acceptsTokens } from "../identity/tokens.ts";
import { act, noContent, ok } from "./act.ts";
import { longPage } from "./list-query.ts";
import { ownAppList } from "./responses/apps.ts";

/** The endpoints with which people see and end the connected tools that act for them (docs/sharing.md). */
export const apps = [
  act({
    name: "app.list",
    method: "GET",
    path: "/api/apps",
    summary: "Lists the caller's connected tools, newest first.",
    details:
      "Each is what the caller has allowed one program to do through the tools of `/mcp`, or an access token for AI tools. Those that have expired are left out. `url` is the address to which tools connect, and null if the service accepts no access tokens.",
    allow: "session",
    query: longPage,
    response: ok(ownAppList),
    async run({ user, query }, env) {
      const { entries, nextCursor } = await listApps(user, query, env);
      const url = acceptsTokens(env.config) ? `${env.base.origin}/mcp` : null;
      return { body: { apps: entries, nextCursor, url } };
    },
  }),
  act({
    name: "app.revoke",
    method: "DELETE",
    path: "/api/apps/{id}",
    summary: "Ends a connected tool: its next request is refused, and it cannot renew its access.",
    allow: "session",
    affects: "people",
    response: noContent,
    async run({ user, params: { id } }, env) {
      if (!isId(id) || (await endApps(id, user.id, env)) === 0) refuse("NOT_FOUND");
      return { body: undefined, audit: { target: id } };
    },
  }),
];
