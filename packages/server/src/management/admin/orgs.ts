import { LIMITS } from "@easel/protocol/limits";
import type { Organisation } from "@easel/protocol/management";
import { z } from "zod";
import type { Env } from "../../env.ts";
import { label } from "../../http/field-schemas.ts";
import { refuse } from "../../http/refusal.ts";
import { deleteOrg, findOrg, listOrgs, previewOrg, putOrg } from "../../organisation/orgs.ts";
import { act, noContent, ok } from "../act.ts";
import { json } from "../bodies.ts";
import { organisation, organisationList, organisationPreview } from "../responses/admin.ts";

const ID = /^[a-z0-9][a-z0-9-]{0,62}$/;
const DNS_LABEL = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?";

// The pattern is checked before lower-casing, because lower-casing turns some letters beyond ASCII into ASCII letters.
const domain = z
  .string()
  .trim()
  .max(253)
  .regex(new RegExp(`^${DNS_LABEL}(\\.${DNS_LABEL})*$`, "i"), "is not a domain name in ASCII letters")
  .toLowerCase();

const Params = z.object({
  id: z
    .string()
    .regex(ID, "must be 1 to 63 lower-case letters, digits and hyphens, and not begin with a hyphen"),
});

// Sorted, so that concurrent changes lock the domains in the same order.
const domains = z
  .array(domain)
  .max(100)
  .transform((domains) => [...new Set(domains)].sort());

const Body = z.strictObject({
  name: label(LIMITS.nameLength.value),
  domains,
  take: z.boolean().default(false),
});

const Preview = z.strictObject({ domains });

const findByPath = async (id: string, env: Env): Promise<Organisation | undefined> =>
  ID.test(id) ? findOrg(id, env) : undefined;

/** Returns the name and the domains of an organisation for the audit log. The domains decide who may open canvases of the organisation. */
const auditOf = (org: Organisation | undefined) =>
  org === undefined ? null : { name: org.name, domains: org.domains };

/** The endpoints for organisations and the e-mail domains of their members (docs/sharing.md#organisations). */
export const orgs = [
  act({
    name: "org.list",
    method: "GET",
    path: "/api/admin/orgs",
    summary: "Lists the organisations by id.",
    details: "`members` counts those who have signed in and are not deactivated.",
    allow: "administrator",
    response: ok(organisationList),
    run: async (_call, env) => ({ body: { orgs: await listOrgs(env) } }),
  }),
  act({
    name: "org.read",
    method: "GET",
    path: "/api/admin/orgs/{id}",
    summary: "Returns an organisation.",
    allow: "administrator",
    response: ok(organisation),
    run: async ({ params: { id } }, env) => ({
      body: (await findByPath(id, env)) ?? refuse("NOT_FOUND"),
    }),
  }),
  act({
    name: "org.put",
    method: "PUT",
    path: "/api/admin/orgs/{id}",
    summary: "Creates or replaces an organisation.",
    details:
      "Its id has 1 to 63 lower-case letters, digits and hyphens. 400 `INVALID_BODY` for a domain of another organisation; with `take: true` that one loses it.",
    allow: "administrator",
    affects: "people",
    params: Params,
    body: json(Body),
    response: ok(organisation),
    async run({ params: { id }, body }, env) {
      const orgs = await listOrgs(env);
      const before = auditOf(orgs.find((org) => org.id === id));
      const refused = await putOrg({ id, ...body }, env);
      if (refused !== null)
        refuse("INVALID_BODY", {
          message: `\`${refused}\` is a domain of another organisation.`,
          field: "domains",
        });
      const org = (await findByPath(id, env)) ?? refuse("NOT_FOUND");
      const { take, ...after } = body;
      const taken = orgs
        .filter((each) => each.id !== id)
        .flatMap(({ id: from, domains }) =>
          domains.filter((domain) => after.domains.includes(domain)).map((domain) => ({ domain, from })),
        );
      const details = { before, after, ...(taken.length > 0 && { taken }) };
      return { body: org, audit: { target: id, details } };
    },
  }),
  act({
    name: "org.preview",
    method: "POST",
    path: "/api/admin/orgs/{id}/preview",
    summary: "Returns who would join or leave an organisation if it had other domains, and changes nothing.",
    details:
      "The organisation need not exist. `joining` and `leaving` count active people and name the first 20 by e-mail address, `taken` are domains of other organisations, and `canvases` is how many canvases all members may open.",
    allow: "administrator",
    audited: false,
    params: Params,
    body: json(Preview),
    response: ok(organisationPreview),
    run: async ({ params: { id }, body }, env) => ({ body: await previewOrg(id, body.domains, env) }),
  }),
  act({
    name: "org.delete",
    method: "DELETE",
    path: "/api/admin/orgs/{id}",
    summary: "Deletes an organisation; its canvases have no home organisation any more.",
    allow: "administrator",
    affects: "people",
    response: noContent,
    async run({ params: { id } }, env) {
      const before = auditOf(await findByPath(id, env));
      if (before === null || !(await deleteOrg(id, env))) refuse("NOT_FOUND");
      return { body: undefined, audit: { target: id, details: { before, after: null } } };
    },
  }),
];
