import { nameOf } from "../access/principal.ts";
import type { NamedStep } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { addUser, updateUser } from "../organisation/user-details.ts";
import { conditionsOf, parseFilter } from "./filter.ts";
import { booleanOf, changesOf } from "./patch.ts";
import {
  externalIdSteps,
  findHolders,
  findScimPerson,
  givingUpSteps,
  listScimPeople,
  type Names,
  namingSteps,
  PERSON_FILTERS,
  removalSteps,
  type ScimPerson,
} from "./people-store.ts";
import {
  addressHere,
  changesFrom,
  mailsIn,
  nameIn,
  namesOf,
  Person,
  type PersonChanges,
} from "./person-changes.ts";
import { refuseScim } from "./scim-error.ts";
import type { Resource, ResourceType } from "./scim-resource.ts";

const viewOf = (person: ScimPerson, { base }: Env): Resource => ({
  schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
  id: person.id,
  ...(person.external_id !== null && { externalId: person.external_id }),
  userName: person.user_name ?? person.email,
  displayName: person.name,
  name: { formatted: person.name },
  emails: (person.mails.length > 0 ? person.mails : [{ email: person.email, type: "work" }]).map(
    ({ email, type }, place) => ({ value: email, type, primary: place === 0 }),
  ),
  active: person.deactivated_at === null,
  meta: {
    resourceType: "User",
    created: new Date(person.created_at).toISOString(),
    location: `${base.origin}/scim/v2/Users/${person.id}`,
  },
});

const addressesIn = ({ address, mails }: Names): string[] => [
  ...(address === null ? [] : [address]),
  ...mails.map(({ email }) => email),
];

/** Throws 409 `uniqueness` with what two people share who are one at the provider. */
function refuseShared(other: ScimPerson, { userName, ...names }: Names, externalId: string | null): never {
  const own = [other.email, ...other.mails.map(({ email }) => email), other.user_name ?? ""];
  const shared = [userName, ...addressesIn(names as Names)].filter((each) => own.includes(each));
  const what =
    shared.length > 0
      ? `The address or name ${shared.join(", ")}`
      : externalId !== null && externalId === other.external_id
        ? `The externalId ${externalId}`
        : "An address of this user";
  return refuseScim(
    409,
    `${what} belongs to another user here, with the userName ${other.user_name ?? other.email} and the id ${other.id}. Both would be one person: change or remove one of them.`,
    "uniqueness",
  );
}

const requireFree = (outcome: string): void => {
  if (outcome !== "done")
    refuseScim(409, "Somebody else has got this userName or address just now.", "uniqueness");
};

/**
 * Applies changes: names and ids in one batch, the rest by the functions of the administration. Throws 409 `uniqueness` and changes nothing if
 * somebody else has one of the addresses, the name or the id.
 */
async function apply(
  person: ScimPerson,
  { userName, mails, name, externalId, active }: PersonChanges,
  env: Env,
): Promise<void> {
  const now = env.clock();
  const steps: NamedStep<string | null>[] = [];
  const otherId = externalId === undefined || externalId === person.external_id ? undefined : externalId;
  const ownName = person.user_name ?? person.email;
  const isNamed = userName !== undefined || mails !== undefined || person.removed_at !== null;
  const names = isNamed
    ? namesOf(userName ?? ownName, mails ?? person.mails)
    : { userName: ownName, address: null, mails: [] };
  if (isNamed || otherId !== undefined) {
    const wanted = { userName: names.userName, addresses: addressesIn(names), externalId: otherId ?? null };
    const other = (await findHolders(wanted, env)).find(({ id }) => id !== person.id);
    if (other !== undefined) refuseShared(other, names, otherId ?? null);
  }
  if (isNamed) steps.push(...namingSteps(person, names, addressHere(person, names), now));
  if (otherId !== undefined) steps.push(...externalIdSteps(person.id, otherId, now));
  if (steps.length > 0) requireFree(await env.db.withReserve.batch(steps));
  if (name !== undefined && name !== person.name)
    await env.db.withReserve.run`update users set name = ${name} where id = ${person.id}`;
  if (active !== undefined && active !== (person.deactivated_at === null))
    await updateUser(person.id, { deactivated: !active }, null, env);
}

/** What the audit log has of a change. */
const detailsOf = ({ email }: ScimPerson, changes: PersonChanges, now: ScimPerson): object => ({
  email,
  ...(changes.active !== undefined && { deactivated: !changes.active }),
  ...(now.email !== email && { to: now.email }),
});

async function requirePerson(id: string, env: Env): Promise<ScimPerson> {
  return (await findScimPerson(id, env)) ?? refuseScim(404, "There is no such user.");
}

/** Changes a person, and returns them with what the audit log has of it. */
async function change(id: string, changes: (person: ScimPerson) => PersonChanges, env: Env) {
  const person = await requirePerson(id, env);
  const wanted = changes(person);
  await apply(person, wanted, env);
  const now = await requirePerson(id, env);
  const details = detailsOf(person, wanted, now);
  return { resource: viewOf(now, env), audit: { act: "user.update", target: id, details } };
}

/**
 * Finds the person whom the provider adds although they are here already: somebody whom it had deleted, or who has signed in before with an address
 * that is not their user name at the provider. Null if nobody is, so that the person is new. Throws 409 `uniqueness` for a user of the provider,
 * and if several people have something of this one. A name that was given to somebody else, by `externalId`, inherits nothing.
 */
async function knownAs(names: Names, externalId: string | null, env: Env): Promise<ScimPerson | null> {
  const wanted = { userName: names.userName, addresses: addressesIn(names), externalId };
  const [known, another] = await findHolders(wanted, env);
  if (known === undefined) return null;
  if (another !== undefined) refuseShared(another, names, externalId);
  const isOther = externalId !== null && known.external_id !== null && externalId !== known.external_id;
  if (known.removed_at !== null && known.deactivated_at !== null) {
    if (!isOther) return known;
    requireFree(await env.db.withReserve.batch(givingUpSteps(known, env.clock())));
    return null;
  }
  const isNew = known.user_name === null && known.email !== names.userName;
  return isNew && !isOther ? known : refuseShared(known, names, externalId);
}

/** People, whom the provider creates, renames, deactivates and reactivates (RFC 7643, section 4.1). */
export const people: ResourceType = {
  name: "User",
  path: "/Users",
  async list(filter, page, _, env) {
    const asked = filter === undefined ? [] : parseFilter(filter, Object.keys(PERSON_FILTERS));
    const { total, people: found } = await listScimPeople(conditionsOf(asked, PERSON_FILTERS), page, env);
    return { total, resources: found.map((each) => viewOf(each, env)) };
  },
  read: async (id, _, env) => viewOf(await requirePerson(id, env), env),
  async create(body, env) {
    const { userName, emails, externalId = null, active, ...given } = Person.parse(body);
    const names = namesOf(userName, mailsIn(emails ?? []));
    const known = await knownAs(names, externalId, env);
    const email = known?.email ?? addressHere(null, names);
    const deactivated = booleanOf(active) === false;
    const name = nameIn(given);
    const id = known?.id ?? (await addUser({ email, name: name ?? nameOf(email), deactivated }, env));
    if (id === null)
      return refuseScim(409, "Somebody has got this address just now; try again.", "uniqueness");
    const person = known ?? (await requirePerson(id, env));
    const sent = booleanOf(active);
    // A person that the provider has deleted is active again; one that an administrator has deactivated is not: the provider can change that afterwards.
    const isActive = person.removed_at !== null ? (sent ?? true) : sent === false ? false : undefined;
    await apply(
      person,
      {
        userName,
        mails: names.mails,
        name,
        externalId: externalId ?? undefined,
        active: known === null ? undefined : isActive,
      },
      env,
    );
    const resource = viewOf(await requirePerson(id, env), env);
    return { resource, audit: { act: "user.add", target: id, details: { email, deactivated } } };
  },
  replace(id, body, env) {
    const { userName, emails, externalId = null, active, ...given } = Person.parse(body);
    const mails = mailsIn(emails ?? []);
    // A boolean that is left out is not cleared: nobody is let in again because a provider sends less.
    return change(
      id,
      () => ({ userName, mails, externalId, name: nameIn(given), active: booleanOf(active) }),
      env,
    );
  },
  patch: (id, body, env) => change(id, (person) => changesFrom(changesOf(body), person), env),
  async remove(id, env) {
    const person = await requirePerson(id, env);
    await updateUser(id, { deactivated: true }, null, env);
    await env.db.withReserve.batch(removalSteps(person, env.clock()));
    const details = { email: person.email, deactivated: true, removed: true };
    return { act: "user.update", target: id, details };
  },
};
