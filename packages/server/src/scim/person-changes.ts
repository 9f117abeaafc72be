import type { Json } from "@easel/protocol/types";
import { z } from "zod";
import { normalEmail } from "../access/principal.ts";
import { MAX_DIRECTORY_ID } from "../identity/directory-id.ts";
import { cleanName } from "../identity/users.ts";
import { booleanOf, type Change } from "./patch.ts";
import { type Mail, type Names, plainCase, type ScimPerson } from "./people-store.ts";
import { refuseScim } from "./scim-error.ts";

/** The most addresses of a person. */
const MAX_MAILS = 50;

const SentMails = z
  .array(
    z.object({
      value: z.string().nullish(),
      type: z.string().max(100).nullish(),
      primary: z.custom<Json>().optional(),
    }),
  )
  .max(MAX_MAILS);

/** What a provider sends of a person. Everything else is ignored: it is not needed here, and so not stored. */
export const Person = z.object({
  userName: z.string().min(1).max(320),
  externalId: z.string().min(1).max(MAX_DIRECTORY_ID).nullish(),
  displayName: z.string().nullish(),
  name: z
    .object({
      formatted: z.string().nullish(),
      givenName: z.string().nullish(),
      familyName: z.string().nullish(),
    })
    .nullish(),
  emails: SentMails.nullish(),
  active: z.custom<Json>().optional(),
});

/** What changes of a person. Undefined stays. */
export interface PersonChanges {
  userName?: string | undefined;
  mails?: Mail[] | undefined;
  name?: string | undefined;
  externalId?: string | null | undefined;
  active?: boolean | undefined;
}

/** Reads the addresses in a value of `emails`, the primary one first. What is no address is left out. */
export function mailsIn(value: z.output<typeof SentMails>): Mail[] {
  const read = value.flatMap(({ value: sent, type, primary }) => {
    const email = normalEmail(sent ?? "");
    return email === null
      ? []
      : [{ email, type: type?.toLowerCase() ?? "work", isPrimary: booleanOf(primary) === true }];
  });
  const sorted = [...read.filter((each) => each.isPrimary), ...read.filter((each) => !each.isPrimary)];
  return sorted.map(({ email, type }) => ({ email, type }));
}

/** Reads the name of a person. Undefined if there is none. */
export function nameIn({
  displayName,
  name,
}: Pick<z.output<typeof Person>, "displayName" | "name">): string | undefined {
  const parts = [name?.givenName, name?.familyName].filter(Boolean).join(" ");
  return cleanName(displayName) ?? cleanName(name?.formatted) ?? cleanName(parts) ?? undefined;
}

/** Returns which of the addresses a path means: `emails[type eq "work"].value` those of this type. */
function meantBy(path: string): (mail: Mail, place: number) => boolean {
  const [, name, json = ""] = /\[\s*(type|value|primary)\s+eq\s+("[^"]*"|true)\s*\]/i.exec(path) ?? [];
  const wanted = plainCase(json.replaceAll('"', ""));
  switch (name?.toLowerCase()) {
    case "type":
      return ({ type }) => type === wanted;
    case "value":
      return ({ email }) => email === wanted;
    case "primary":
      return (_, place) => place === 0;
    default:
      return () => true;
  }
}

/** Applies a change of `emails` to addresses: of the whole list, of those that the path means, or of the value of one. */
function changeMails(mails: Mail[], { op, attribute, path, value }: Change): Mail[] {
  const isMeant = meantBy(path);
  const others = mails.filter((mail, place) => !isMeant(mail, place));
  if (op === "remove") return others;
  if (attribute === "emails.value" || typeof value === "string") {
    const email = normalEmail(typeof value === "string" ? value : "");
    if (email === null) return op === "replace" ? others : mails;
    const at = mails.findIndex(isMeant);
    const [, type = "work"] = /type\s+eq\s+"([^"]*)"/i.exec(path) ?? [];
    return mails.toSpliced(at === -1 ? mails.length : at, at === -1 ? 0 : 1, {
      email,
      type: mails[at]?.type ?? type.toLowerCase(),
    });
  }
  if (attribute !== "emails") return mails;
  const given = mailsIn(SentMails.parse(Array.isArray(value) ? value : [value]));
  return op === "add" ? [...mails, ...given] : [...given, ...(path.includes("[") ? others : [])];
}

/** Returns what a PATCH changes of a person. Throws 400 `invalidValue` for a value that does not fit. */
export function changesFrom(changes: Change[], person: Pick<ScimPerson, "mails">): PersonChanges {
  const result: PersonChanges = {};
  for (const change of changes) {
    const { op, attribute, value } = change;
    const text = typeof value === "string" && op !== "remove" ? value : undefined;
    if (attribute === "emails" || attribute === "emails.value") {
      result.mails = changeMails(result.mails ?? person.mails, change);
      if (result.mails.length > MAX_MAILS)
        refuseScim(400, `A user has at most ${MAX_MAILS} addresses.`, "tooMany");
    }
    switch (attribute) {
      case "active":
        result.active = op === "remove" ? undefined : booleanOf(value);
        if (op !== "remove" && result.active === undefined)
          refuseScim(400, "active must be a boolean.", "invalidValue");
        break;
      case "username":
        if (text !== undefined) result.userName = Person.shape.userName.parse(text);
        break;
      case "displayname":
      case "name.formatted":
        result.name = cleanName(text) ?? result.name;
        break;
      case "name":
        if (typeof value === "object") result.name ??= nameIn({ name: value as Record<string, string> });
        break;
      case "externalid":
        result.externalId = op === "remove" ? null : (text?.slice(0, MAX_DIRECTORY_ID) ?? undefined);
        break;
    }
  }
  return result;
}

/**
 * Returns the names of a person by what the provider sends: the user name and every value of `emails` are addresses of one person. Throws 400
 * `invalidValue` if none of them is an address.
 */
export function namesOf(sentName: string, sentMails: Mail[]): Names {
  const address = normalEmail(sentName);
  const seen = new Set([address]);
  const mails = sentMails.filter(({ email }) => !seen.has(email) && seen.add(email));
  if (address === null && mails.length === 0)
    refuseScim(400, "userName, or a value of emails, must be an e-mail address.", "invalidValue");
  return { userName: plainCase(sentName), address, mails };
}

/**
 * Returns which of the addresses the person has here. The one that they sign in with stays as long as the provider has it. If that was the user
 * name, it changes with it; otherwise it becomes the primary value of `emails`.
 */
export function addressHere(
  person: Pick<ScimPerson, "email" | "user_name" | "mails"> | null,
  { address, mails }: Names,
): string {
  const [primary] = mails;
  const usual = address ?? primary?.email ?? "";
  if (person === null || person.email === person.user_name) return usual;
  if ([address, ...mails.map(({ email }) => email)].includes(person.email)) return person.email;
  return (person.mails.some(({ email }) => email === person.email) ? primary?.email : undefined) ?? usual;
}
