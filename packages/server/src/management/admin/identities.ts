import { listIdentities, unlink } from "../../identity/identities.ts";
import { act, ok } from "../act.ts";
import { endedCount, identityList } from "../responses/admin.ts";
import { userOf } from "./users.ts";

/** The endpoints with which administrators see and unlink the accounts of people at identity providers (docs/identity.md#who-is-who). */
export const identities = [
  act({
    name: "user.identities",
    method: "GET",
    path: "/api/admin/users/{id}/identities",
    summary: "Lists the accounts at identity providers by which a user is recognised, newest first.",
    allow: "administrator",
    response: ok(identityList),
    async run({ params: { id } }, env) {
      await userOf(id, env);
      return { body: { identities: await listIdentities(id, env) } };
    },
  }),
  act({
    name: "user.unlink",
    method: "DELETE",
    path: "/api/admin/users/{id}/identities",
    summary: "Unlinks every account of a user, and ends their sessions.",
    details:
      "For accounts that were made anew at the provider. The next account that signs in with the user's address is linked to them, whosever it is. `ended` counts accounts.",
    allow: "administrator",
    affects: "people",
    response: ok(endedCount),
    async run({ params: { id } }, env) {
      const { email } = await userOf(id, env);
      const unlinked = await unlink(id, env);
      const accounts = unlinked.map(({ issuer, subject }) => ({ issuer, subject }));
      return { body: { ended: unlinked.length }, audit: { target: id, details: { email, accounts } } };
    },
  }),
];
