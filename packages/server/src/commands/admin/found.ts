import { normalEmail } from "../../access/principal.ts";
import { findForAdmin, findIdBySlug } from "../../canvases/administration.ts";
import { SetupError } from "../../config/setting-types.ts";
import { isId } from "../../crypto/ids.ts";
import { findUserRow } from "../../identity/users.ts";
import { findUserDetails } from "../../organisation/user-details.ts";
import type { Shell } from "./shell.ts";
import { countOf, printable } from "./terminal.ts";

/** How many people an error names who may be meant. */
const NAMED = 5;

/** Finds the person with an id or an e-mail address. @throws SetupError if there is nobody, with those who may be meant. */
export async function personOf(given: string, { env, perform }: Shell) {
  const id = given.includes("@") ? (await findUserRow(normalEmail(given) ?? given, env))?.id : given;
  if (id !== undefined && isId(id) && (await findUserDetails(id, env)) !== undefined)
    return perform("user.read", { params: { id } });
  const nobody = `There is nobody with the ${given.includes("@") ? "address" : "address or id"} ${printable(given)}`;
  const query = { q: given, limit: String(NAMED + 1) };
  const { users } = given === "" ? { users: [] } : await perform("user.list", { query });
  const names = users.slice(0, NAMED).map(({ email }) => printable(email));
  if (names.length === 0)
    throw new SetupError(`${nobody}. \`easel-server admin users\` lists everyone. Nothing has been changed.`);
  const more = users.length > NAMED ? ", and others" : "";
  throw new SetupError(
    `${nobody}. ${names.length === 1 ? "Is it" : "These match:"} ${names.join(", ")}${more}${names.length === 1 ? "?" : "."} Give the whole address, or ` +
      "the id. Nothing has been changed.",
  );
}

/** Finds the canvas with an id, a slug or an address. @throws SetupError if there is none. */
export async function canvasOf(given: string, { env, perform }: Shell) {
  const known = isId(given) && (await findForAdmin(given, env)) !== undefined;
  const id = known ? given : await findIdBySlug(slugIn(given), env);
  if (id === undefined || (await findForAdmin(id, env)) === undefined)
    throw new SetupError(
      `There is no canvas ${printable(given)}. Give its id, its slug or its address. Nothing has been changed.`,
    );
  const canvas = await perform("canvas.read-any", { params: { id } });
  const name = `“${printable(canvas.title)}” (${printable(canvas.slug)})`;
  if (canvas.deletedAt !== null)
    throw new SetupError(
      `The canvas ${name} is deleted. Restore it first: in the administration, under Canvases. Nothing has been changed.`,
    );
  return { ...canvas, name };
}

/** Returns the slug in the address of a canvas, by either mode of URLs, or the text itself. */
function slugIn(given: string): string {
  const url = URL.parse(given);
  if (url === null) return given;
  return /^\/c\/([^/]+)/.exec(url.pathname)?.[1] ?? url.hostname.split(".")[0] ?? given;
}

/** Returns what lets a person in, in words, such as `2 sessions and 1 access token`; null if nothing does. */
export function credentialsIn(person: Record<"sessions" | "tokens" | "apps", number>): string | null {
  const { sessions, tokens, apps } = person;
  const words = [
    countOf(sessions, "session"),
    countOf(tokens, "access token"),
    countOf(apps, "connected tool"),
  ].filter((_, at) => [sessions, tokens, apps][at] !== 0);
  return words.length === 0 ? null : new Intl.ListFormat("en-GB").format(words);
}
