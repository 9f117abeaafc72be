import { z } from "zod";
import type { User } from "../access/principal.ts";
import { manages } from "../access/roles.ts";
import { findCanvas } from "../canvases/store.ts";
import { isId } from "../crypto/ids.ts";
import type { Env } from "../env.ts";
import { refuse } from "../http/refusal.ts";
import { findPeople } from "../organisation/person-search.ts";
import { act, ok } from "./act.ts";
import { text } from "./list-query.ts";
import { foundPeople } from "./responses/account.ts";

const personSearch = z.object({
  q: text("The beginnings of words of a name, or of an e-mail address, in any letter case."),
  canvas: text("The id of a canvas: its owner and the people with whom it is shared by name are left out."),
});

/** Throws unless the user may see with whom a canvas is shared: 404 `NOT_FOUND` without a role on it, 403 `PERMISSION_DENIED` for viewers. */
async function requireManaged(id: string, user: User, env: Env): Promise<void> {
  const { role } = (isId(id) ? await findCanvas(id, user, env) : undefined) ?? refuse("NOT_FOUND");
  if (!manages(role)) refuse("PERMISSION_DENIED");
}

/** The endpoint that finds people to share with (docs/sharing.md#sharing-a-canvas). */
export const people = [
  act({
    name: "person.search",
    method: "GET",
    path: "/api/people",
    summary: "Finds at most 10 people to share with, by the beginning of their name or e-mail address.",
    details:
      "They are the active members of the caller's organisation, or without organisations of the instance; and people who are with the caller in a team, own a canvas that is shared with the caller, or are in the people list of a canvas of which the caller is the owner or an editor. `canvas` is for owners and editors: 404 `NOT_FOUND` without a role, 403 `PERMISSION_DENIED` for viewers.",
    allow: "members",
    deploys: false,
    query: personSearch,
    response: ok(foundPeople),
    errors: ["NOT_FOUND"],
    async run({ user, query: { q = "", canvas = null } }, env) {
      if (canvas !== null) await requireManaged(canvas, user, env);
      return { body: { people: await findPeople(user, q, canvas, env) } };
    },
  }),
];
