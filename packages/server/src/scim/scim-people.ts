import type { Json } from "@easel/protocol/types";
import { z } from "zod";
import { nameOf, normalEmail } from "../access/principal.ts";
import { sql } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { renamingSteps } from "../identity/renaming.ts";
import { cleanName } from "../identity/users.ts";
import { addUser, updateUser } from "../organisation/user-details.ts";
import { parseFilter } from "./filter.ts";
import { booleanOf, type Change, changesOf, Patch } from "./patch.ts";
import {
  findScimPerson,
  listScimPeople,
  PERSON_FILTERS,
  type ScimPerson,
  setExternalId,
} from "./people-store.ts";
import { refuseScim } from "./scim-error.ts";
import type { Resource, ResourceType } from "./scim-resource.ts";

/** What a provider sends of a person. Everything else is ignored: it is not needed here, and so not stored. */
const Person = z.object({
  userName: z.string().max(320),
  externalId: z.string().min(1).max(500).nullish(),
  displayName: z.string().nullish(),
  name: z
    .object({
      formatted: z.string().nullish(),
      givenName: z.string().nullish(),
      familyName: z.string().nullish(),
    })
    .nullish(),
  emails: z.array(z.object({ value: z.string(), primary: z.json().optional() })).nullish(),
  active: z.json().optional(),
});

/** What changes of a person. Undefined stays. */
interface PersonChanges {
  email?: string | undefined;
  name?: string | undefined;
  externalId?: string | null | undefined;
  active?: boolean | undefined;
}

const viewOf = (person: ScimPerson, { base }: Env): Resource => ({
  schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
  id: person.id,
  ...(person.external_id !== null && { externalId: person.external_id }),
  userName: person.email,
  displayName: person.name,
  name: { formatted: person.name },
  emails: [{ value: person.email, type: "work", primary: true }],
  active: person.deactivated_at === null,
  meta: {
    resourceType: "User",
    created: new Date(person.created_at).toISOString(),
    location: `${base.origin}/scim/v2/Users/${person.id}`,
  },
});

/** Reads the address of a person: the user name, or the primary address where the user name is none. Throws 400 `invalidValue`. */
function emailOf(userName: string, emails: { value: string; primary?: Json | undefined }[] = []): string {
  const primary = emails.find((each) => booleanOf(each.primary) === true) ?? emails[0];
  return (
    normalEmail(userName) ??
    normalEmail(primary?.value ?? "") ??
    refuseScim(400, "userName, or the primary value of emails, must be an e-mail address.", "invalidValue")
  );
}

function nameIn({
  displayName,
  name,
}: Pick<z.output<typeof Person>, "displayName" | "name">): string | undefined {
  const parts = [name?.givenName, name?.familyName].filter(Boolean).join(" ");
  return cleanName(displayName) ?? cleanName(name?.formatted) ?? cleanName(parts) ?? undefined;
}

/** Applies changes by the functions of the administration. Throws 409 `uniqueness` if somebody else has the address. */
async function apply(
  person: ScimPerson,
  { email, name, externalId, active }: PersonChanges,
  env: Env,
): Promise<void> {
  if (email !== undefined && email !== person.email) {
    const outcome = await env.db.withReserve.batch(renamingSteps(person, email, env.clock()));
    if (outcome !== "done") refuseScim(409, "Somebody else has this userName.", "uniqueness");
  }
  if (name !== undefined && name !== person.name)
    await env.db.withReserve.run`update users set name = ${name} where id = ${person.id}`;
  if (externalId !== undefined && externalId !== person.external_id)
    await setExternalId(person.id, externalId, env);
  if (active !== undefined && active !== (person.deactivated_at === null))
    await updateUser(person.id, { deactivated: !active }, null, env);
}

function changesFrom(changes: Change[]): PersonChanges {
  const result: PersonChanges = {};
  for (const { op, attribute, value } of changes) {
    const text = typeof value === "string" && op !== "remove" ? value : undefined;
    switch (attribute) {
      case "active":
        result.active = op === "remove" ? undefined : booleanOf(value);
        if (op !== "remove" && result.active === undefined)
          refuseScim(400, "active must be a boolean.", "invalidValue");
        break;
      case "username":
        if (text !== undefined) result.email = emailOf(text);
        break;
      case "displayname":
      case "name.formatted":
        result.name = cleanName(text) ?? result.name;
        break;
      case "name":
        if (typeof value === "object") result.name ??= nameIn({ name: value as Record<string, string> });
        break;
      case "externalid":
        result.externalId = op === "remove" ? null : (text?.slice(0, 500) ?? undefined);
        break;
    }
  }
  return result;
}

/** What the audit log has of a change. */
const detailsOf = ({ email }: ScimPerson, changes: PersonChanges): object => ({
  email,
  ...(changes.active !== undefined && { deactivated: !changes.active }),
  ...(changes.email !== undefined && changes.email !== email && { to: changes.email }),
});

async function requirePerson(id: string, env: Env): Promise<ScimPerson> {
  return (await findScimPerson(id, env)) ?? refuseScim(404, "There is no such user.");
}

/** Changes a person, and returns them with what the audit log has of it. */
async function change(id: string, changes: (person: ScimPerson) => PersonChanges, env: Env) {
  const person = await requirePerson(id, env);
  const wanted = changes(person);
  await apply(person, wanted, env);
  const now = viewOf(await requirePerson(id, env), env);
  return { resource: now, audit: { act: "user.update", target: id, details: detailsOf(person, wanted) } };
}

/** People, whom the provider creates, renames, deactivates and reactivates (RFC 7643, section 4.1). */
export const people: ResourceType = {
  name: "User",
  path: "/Users",
  async list(filter, page, env) {
    const asked = filter === undefined ? undefined : parseFilter(filter, Object.keys(PERSON_FILTERS));
    const condition = asked === undefined ? sql`1 = 1` : PERSON_FILTERS[asked.attribute]?.(asked.value);
    const { total, people: found } = await listScimPeople(condition ?? sql`1 = 0`, page, env);
    return { total, resources: found.map((each) => viewOf(each, env)) };
  },
  read: async (id, env) => viewOf(await requirePerson(id, env), env),
  async create(body, env) {
    const { userName, emails, externalId = null, active, ...given } = Person.parse(body);
    const email = emailOf(userName, emails ?? undefined);
    const deactivated = booleanOf(active) === false;
    const id = await addUser({ email, name: nameIn(given) ?? nameOf(email), deactivated }, env);
    if (id === null) return refuseScim(409, "There is a user with this userName already.", "uniqueness");
    if (externalId !== null) await setExternalId(id, externalId, env);
    const resource = viewOf(await requirePerson(id, env), env);
    return { resource, audit: { act: "user.add", target: id, details: { email, deactivated } } };
  },
  replace(id, body, env) {
    const { userName, emails, externalId = null, active, ...given } = Person.parse(body);
    const email = emailOf(userName, emails ?? undefined);
    // A boolean that is left out is not cleared: nobody is let in again because a provider sends less.
    return change(id, () => ({ email, externalId, name: nameIn(given), active: booleanOf(active) }), env);
  },
  patch: (id, body, env) => change(id, () => changesFrom(changesOf(Patch.parse(body))), env),
  async remove(id, env) {
    const { audit } = await change(id, () => ({ active: false }), env);
    return audit;
  },
};
