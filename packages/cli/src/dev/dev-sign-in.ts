import type { IncomingMessage } from "node:http";
import {
  cookiesNamed,
  type Env,
  findForAccess,
  identify,
  nameOf,
  roleOf,
  upsertUser,
  visitor,
} from "@easel/server";
import type { PageHost, Site } from "./page-hosts.ts";

/** A person who can use the page in development. `host` is the first label of the person's host name, such as `ada` in `ada.localhost`. */
interface DevPerson {
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

/** The name of the cookie that records that the person of a host has signed out. The next visit then does not sign the person in again. */
const OUT_COOKIE = "easel_dev_out";

const signedOutCookie = (isOut: boolean) =>
  `${OUT_COOKIE}=1; Path=/; HttpOnly; SameSite=Lax${isOut ? "" : "; Max-Age=0"}`;

/** Signs a person in at the service. `cookie` is the `Cookie` header of the browser. Returns the `Set-Cookie` headers. */
export async function signIn(email: string, cookie: string | undefined, site: Site): Promise<string[]> {
  const response = await fetch(`${site.service}/auth/dev/session`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(cookie === undefined ? {} : { cookie }) },
    body: JSON.stringify({ email }),
  });
  if (!response.ok) throw new Error(`The service refuses to sign ${email} in: ${await response.text()}`);
  return [...response.headers.getSetCookie(), signedOutCookie(false)];
}

/** Signs the person of a browser out. Returns the `Set-Cookie` headers. */
export async function signOut(cookie: string | undefined, site: Site): Promise<string[]> {
  const response = await fetch(`${site.service}/auth/logout`, {
    method: "POST",
    headers: cookie === undefined ? {} : { cookie },
  });
  return [...response.headers.getSetCookie(), signedOutCookie(true)];
}

/** Returns the `Set-Cookie` headers to add to a successful response of the service to `/auth/logout`. */
export const afterSignOut = (): string[] => [signedOutCookie(true)];

/**
 * Signs in the person of a host, unless that person has signed out. On `localhost`, signs in the owner if nobody is signed in. Adds the
 * cookies to the request, and returns them as `Set-Cookie` headers.
 */
export async function ensureSignedIn(
  request: IncomingMessage,
  { label }: PageHost,
  site: Site,
): Promise<string[]> {
  if (label === SIGNED_OUT) return [];
  const { user } = await identify(request, null, site.env);
  const people = label === null ? [] : await listPeople(site.env);
  const email = label === null ? OWNER.email : people.find(({ host }) => host === label)?.email;
  if (email === undefined || user.email === email || (user.kind !== "visitor" && label === null)) return [];
  const { cookie } = request.headers;
  if (user.kind === "visitor" && cookiesNamed(cookie, OUT_COOKIE).length > 0) return [];
  const cookies = await signIn(email, cookie, site);
  const pairs = cookies.flatMap((each) => (/max-age=0/i.test(each) ? [] : [each.split(";", 1)[0]]));
  const others = (cookie ?? "").split("; ").filter((each) => !/^easel_session=/.test(each) && each !== "");
  request.headers.cookie = [...others, ...pairs].join("; ");
  return cookies;
}

/** A person in the bar, with the role on the canvas and the origin of the person's own host. */
interface BarPerson extends DevPerson {
  role: string;
  origin: string;
}

/** Returns what the bar shows: who is signed in, the people to switch to, and the faults of `easel.json`. */
export async function barState(
  request: IncomingMessage,
  { label }: PageHost,
  site: Site,
): Promise<{ me: string | null; isPersonHost: boolean; people: BarPerson[]; faults: string[] }> {
  const { env, slug, port, faults } = site;
  const { user } = await identify(request, null, env);
  const people = await Promise.all(
    (await listPeople(env)).map(async (person) => {
      const found = await upsertUser(env.db, person.email, null, env.clock());
      const canvas = await findForAccess(slug, person.email, env);
      const role = canvas === null ? null : roleOf(found ?? visitor(), canvas);
      return { ...person, role: role ?? "no access", origin: `http://${person.host}.localhost:${port}` };
    }),
  );
  people.push({
    host: SIGNED_OUT,
    email: "",
    name: "Signed out",
    role: "",
    origin: `http://${SIGNED_OUT}.localhost:${port}`,
  });
  return { me: user.kind === "visitor" ? null : user.email, isPersonHost: label !== null, people, faults };
}
