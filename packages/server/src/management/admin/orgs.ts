import { LIMITS } from "@easel/protocol/limits";
import { z } from "zod";
import type { Env } from "../../env.ts";
import { refuse } from "../../http/refusal.ts";
import { deleteOrg, findOrg, listOrgs, type Org, putOrg } from "../../organisation/orgs.ts";
import { act, actWithJson, anyone } from "../act.ts";
import { label } from "../fields.ts";
import { type Call, done, ok, type Routes } from "../route.ts";

const ID = /^[a-z0-9][a-z0-9-]{0,62}$/;
const LABEL = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?";

// Letters beyond ASCII are refused before they could turn into others.
const domain = z
  .string()
  .trim()
  .max(253)
  .regex(new RegExp(`^${LABEL}(\\.${LABEL})*$`, "i"), "is no domain name in ASCII letters")
  .toLowerCase();

const Body = z.strictObject({
  name: label(LIMITS.nameLength.value),
  // In one order, so that of several changes at once each can wait for the others.
  domains: z
    .array(domain)
    .max(100)
    .transform((domains) => [...new Set(domains)].sort()),
});

async function orgAt(id: string, env: Env): Promise<Org> {
  return (ID.test(id) ? await findOrg(id, env) : undefined) ?? refuse("NOT_FOUND");
}

async function requireId({ params: { id = "" } }: Call): Promise<void> {
  if (ID.test(id)) return;
  refuse("INVALID_BODY", {
    message:
      "The id of an organisation has 1 to 63 lower-case letters, digits and hyphens, none of them first.",
  });
}

/** An organisation as the audit log keeps it, with the domains that decide who enters its canvases. */
async function auditOf(id: string, env: Env): Promise<{ name: string; domains: string[] } | null> {
  const org = ID.test(id) ? await findOrg(id, env) : undefined;
  return org === undefined ? null : { name: org.name, domains: org.domains };
}

/** Organisations and the e-mail domains that make people their members (management API, section 4). */
export const orgs: Routes = {
  "/admin/orgs": {
    GET: async (_call, env) => ok({ orgs: await listOrgs(env) }),
  },

  "/admin/orgs/:id": {
    GET: async ({ params: { id = "" } }, env) => ok(await orgAt(id, env)),

    PUT: actWithJson("org.put", Body, {
      may: requireId,
      async run({ params: { id = "" } }, _all, { name, domains }, env) {
        const before = await auditOf(id, env);
        const taken = await putOrg({ id, name, domains }, env);
        if (taken !== null)
          refuse("INVALID_BODY", { message: `\`${taken}\` is a domain of another organisation.` });
        return ok(await orgAt(id, env), { target: id, details: { before, after: { name, domains } } });
      },
    }),

    DELETE: act("org.delete", {
      may: anyone,
      async run({ params: { id = "" } }, _all, env) {
        const before = await auditOf(id, env);
        if (before === null || !(await deleteOrg(id, env))) refuse("NOT_FOUND");
        return done({ target: id, details: { before, after: null } });
      },
    }),
  },
};
