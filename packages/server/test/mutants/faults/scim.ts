// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are parts of source files.
import { type Fault, fault } from "../fault.ts";

const SCIM = "packages/server/src/scim";
const SCIM_TEST = "packages/server/test/scim/scim.test.ts";
const PEOPLE_TEST = "packages/server/test/scim/scim-people.test.ts";

/** Deliberate mistakes in the code by which a directory manages people. */
export const scim: Fault[] = [
  fault(
    "scim: any token is let in",
    `${SCIM}/serve-scim.ts`,
    "timingSafeEqual(digest(given), digest(token))",
    "timingSafeEqual(digest(token), digest(token))",
    SCIM_TEST,
  ),
  fault(
    "scim: it is there without a token",
    `${SCIM}/mount.ts`,
    "env.config.scimToken;",
    'env.config.scimToken ?? "";',
    SCIM_TEST,
  ),
  fault(
    "scim: open connections go on after a change",
    `${SCIM}/serve-scim.ts`,
    "await announceAccess({ people: [target] }, env);",
    "",
    SCIM_TEST,
  ),
  fault(
    "scim: the text False of Entra lets somebody in",
    `${SCIM}/patch.ts`,
    'typeof value === "string" ? value.toLowerCase() : value',
    'typeof value === "string" ? value !== "" : value',
    SCIM_TEST,
  ),
  fault(
    "scim: a filter that is not understood lists everybody",
    `${SCIM}/filter.ts`,
    "found.length === 0 || found.some((each) => !attributes.includes(each.attribute))",
    "found.length < 0",
    PEOPLE_TEST,
  ),
  fault(
    "scim: a request without active lets somebody in again",
    `${SCIM}/scim-people.ts`,
    "name: nameIn(given), active: booleanOf(active) })",
    "name: nameIn(given), active: booleanOf(active) ?? true })",
    SCIM_TEST,
  ),
  fault(
    "scim: the provider sees teams that people have made",
    `${SCIM}/scim-groups.ts`,
    "where id = ${id} and external_group is not null",
    "where id = ${id}",
    SCIM_TEST,
  ),
  fault(
    "scim: somebody who was erased is found",
    `${SCIM}/people-store.ts`,
    "on scim_people.user_id = users.id\n  where erased_at is null and`;",
    "on scim_people.user_id = users.id\n  where`;",
    SCIM_TEST,
  ),
  fault(
    "scim: two people who are one at the provider go unnoticed",
    `${SCIM}/scim-people.ts`,
    "if (other !== undefined) refuseShared(other, names, otherId ?? null);",
    "",
    PEOPLE_TEST,
  ),
  fault(
    "scim: somebody who signed in before is added a second time",
    `${SCIM}/scim-people.ts`,
    "return isNew && !isOther ? known",
    "return isNew && isOther ? known",
    PEOPLE_TEST,
  ),
  fault(
    "scim: a name that was given to somebody else opens the canvases of the former one",
    `${SCIM}/scim-people.ts`,
    "if (!isOther) return known;",
    "return known;",
    PEOPLE_TEST,
  ),
  fault(
    "scim: somebody whom the provider has deleted is still there",
    `${SCIM}/people-store.ts`,
    "(removed_at is null or deactivated_at is null)",
    "(removed_at is null or removed_at is not null)",
    PEOPLE_TEST,
  ),
  fault(
    "scim: an address of the directory makes another person at the sign-in",
    "packages/server/src/identity/person-addresses.ts",
    "(select user_id from scim_addresses where email = ${email}))`;",
    "null)`;",
    PEOPLE_TEST,
  ),
  fault(
    "scim: an address of the directory makes another person where only addresses are known",
    "packages/server/src/identity/users.ts",
    "if (person !== undefined) await",
    "if (person === null) await",
    PEOPLE_TEST,
  ),
  fault(
    "scim: an address that the directory has for somebody is taken by a sign-in",
    "packages/server/src/identity/person-addresses.ts",
    "and not exists (select 1 from scim_addresses where scim_addresses.email = ${email} and user_id <> ${id})`;",
    "`;",
    PEOPLE_TEST,
  ),
  fault(
    "scim: an administrator adds somebody with an address of the directory",
    "packages/server/src/organisation/user-details.ts",
    "where not exists (select 1 from scim_addresses where email = ${email}) on conflict",
    "where true on conflict",
    PEOPLE_TEST,
  ),
  fault(
    "scim: an account with another id of the directory is that of the former owner of the address",
    "packages/server/src/identity/identities.ts",
    'known.subject <> ${directoryId ?? ""}',
    'known.subject = ${directoryId ?? ""} and known.subject is null',
    PEOPLE_TEST,
  ),
  fault(
    "scim: an account that the directory has for somebody else goes on",
    "packages/server/src/identity/identities.ts",
    "return known !== undefined && known.user_id !== id;",
    "return false;",
    PEOPLE_TEST,
  ),
  fault(
    "scim: a PATCH of any size is read",
    `${SCIM}/patch.ts`,
    "if (size > MAX_CHANGES)",
    "if (size < 0)",
    PEOPLE_TEST,
  ),
];
