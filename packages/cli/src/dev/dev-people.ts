import { nameOf } from "@easel/server/access/principal";
import type { Env } from "../../../server/src/env.ts";

/** A person who can use the page in development. `host` is the first label of the person's host name, such as `ada` in `ada.localhost`. */
export interface DevPerson {
  host: string;
  email: string;
  name: string;
}

/** The people whom every development service has. The first owns the canvas and administers the service, the second is an editor. */
export const OWNER = { email: "ada@example.com", name: "Ada Berg" };
export const EDITOR = { email: "ben@example.com", name: "Ben Okoro" };
export const EXAMPLE_PEOPLE = [
  OWNER,
  EDITOR,
  { email: "chi@example.com", name: "Chi Tran" },
  { email: "dana@example.com", name: "Dana Levi" },
];

/** The host label on which nobody is signed in. No person gets it. */
export const SIGNED_OUT = "signed-out";

/** The maximum number of people whom the bar lists. */
const MAX_PEOPLE = 30;

/** Derives a host label from an e-mail address: lower-case letters, digits and inner hyphens, at most 40 characters. */
function labelOf(email: string): string {
  const label = email
    .slice(0, email.indexOf("@"))
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 40)
    .replace(/^-|-$/g, "");
  return label === "" || label === SIGNED_OUT ? "person" : label;
}

/**
 * Returns the people of the service in the order of their creation, each with a unique host. Because of this order, a new person does not
 * change the hosts of the others.
 */
export async function listPeople(env: Env): Promise<DevPerson[]> {
  const rows = await env.db.all<{ email: string; name: string }>`
    select email, name from users where deactivated_at is null order by created_at, id limit ${MAX_PEOPLE}`;
  const taken = new Set<string>();
  return rows.map(({ email, name }) => {
    const label = labelOf(email);
    let host = label;
    for (let number = 2; taken.has(host); number++) host = `${label}-${number}`;
    taken.add(host);
    return { host, email, name: name || nameOf(email) };
  });
}
