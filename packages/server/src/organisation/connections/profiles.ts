import { isIP } from "node:net";
import type { ConnectionMethod } from "@easel/protocol/policy";
import type { Base } from "../../config/addresses.ts";
import { isLoopback } from "../../config/config.ts";
import { optional, sql } from "../../drivers/db/db.ts";
import type { Env } from "../../env.ts";

/** Matches `https://`, a host name in ASCII and an optional port. Does not match a URL with credentials, a path, a query or a fragment. */
const ORIGIN = /^https:\/\/[a-z0-9_-]+(\.[a-z0-9_-]+)*(:\d{1,5})?\/?$/i;

/**
 * Parses the origin of a profile and returns it in its normal form, such as `https://api.example.com`. Returns null unless it has https and
 * a host name. IP addresses are refused in every notation, such as `127.0.0.1` and `0x7f.1`.
 */
export function parseOrigin(text: string): string | null {
  if (!ORIGIN.test(text)) return null;
  const url = URL.parse(text);
  return url === null || url.hostname.length > 253 || isIP(url.hostname) !== 0 ? null : url.origin;
}

/**
 * Whether an origin names the service itself: its host with any port, or the host of a canvas. A loopback host names the service only with
 * the port of the service, because other services of a developer have the same host.
 */
export function isServiceOrigin(origin: string, base: Base): boolean {
  const { host, hostname } = new URL(origin);
  if (isLoopback(base.hostname)) return host === base.host || base.labelOf(host) !== null;
  const isCanvas = base.urlMode === "subdomain" && hostname.endsWith(`.${base.hostname}`);
  return hostname === base.hostname || isCanvas;
}

/** Names and values of the headers that the service adds to each request of a profile. */
export type ProtectedHeaders = Record<string, string>;

/** The profile to which sealed headers belong. They open only with this name and this origin, so they never reach another server. */
interface Owner {
  name: string;
  origin: string;
}

const contextOf = ({ name, origin }: Owner) => JSON.stringify(["connection headers", name, origin]);

/** Encrypts protected headers. Returns null if the service has no encryption key. */
const sealHeaders = (headers: ProtectedHeaders, owner: Owner, { sealer }: Env): string | null =>
  sealer.seal(JSON.stringify(headers), contextOf(owner));

/** Decrypts protected headers. Returns null if their key is missing, or if they were sealed for another profile or origin. */
export function openHeaders(sealed: string, owner: Owner, { sealer }: Env): ProtectedHeaders | null {
  const text = sealer.open(sealed, contextOf(owner));
  return text === null ? null : (JSON.parse(text) as ProtectedHeaders);
}

/** An external server that administrators have approved for Connections. */
export interface Profile {
  name: string;
  /** The origin of the server, such as `https://api.example.com`. */
  origin: string;
  methods: ConnectionMethod[];
  /** The names of headers that pages may send, in lower case, besides those that they may send through every profile. */
  requestHeaders: string[];
  /** The names of the protected headers. Their values are only in `sealed`. */
  headerNames: string[];
  /** The protected headers in encrypted form; null if there are none. */
  sealed: string | null;
  enabled: boolean;
}

/** The columns of `connection_profiles` that a `Profile` is read from. */
export interface ProfileRow {
  name: string;
  origin: string;
  methods: string;
  request_headers: string;
  header_names: string;
  headers: string | null;
  enabled: number;
}

export const profileOf = (row: Readonly<ProfileRow>): Profile => ({
  name: row.name,
  origin: row.origin,
  methods: JSON.parse(row.methods),
  requestHeaders: JSON.parse(row.request_headers),
  headerNames: JSON.parse(row.header_names),
  sealed: row.headers,
  enabled: row.enabled === 1,
});

/** Lists all profiles, sorted by name. */
export async function listProfiles({ db }: Env): Promise<Profile[]> {
  const rows = await db.all<ProfileRow>`
    select name, origin, methods, request_headers, header_names, headers, enabled from connection_profiles order by name`;
  return rows.map(profileOf);
}

export async function findProfile(name: string, { db }: Env): Promise<Profile | undefined> {
  const row = await db.get<ProfileRow>`
    select name, origin, methods, request_headers, header_names, headers, enabled from connection_profiles where name = ${name}`;
  return row && profileOf(row);
}

/** A profile as an administrator gives it. If `headers` or `requestHeaders` is undefined, the stored ones stay. */
export interface NewProfile extends Pick<Profile, "name" | "origin" | "methods" | "enabled"> {
  requestHeaders?: string[] | undefined;
  headers?: ProtectedHeaders | undefined;
}

/**
 * Creates or replaces a profile. Returns null, or what prevented the change: "no key" if the service cannot encrypt the protected headers,
 * "origin" if the origin changes but the stored headers stay. Stored headers must not reach another server.
 */
export async function putProfile(given: NewProfile, env: Env): Promise<"no key" | "origin" | null> {
  const { name, origin, headers } = given;
  const now = env.clock();
  const [methods, enabled] = [JSON.stringify(given.methods), Number(given.enabled)];
  const ofPages = given.requestHeaders === undefined ? null : JSON.stringify(given.requestHeaders);
  if (headers === undefined) {
    // The condition on the origin is part of the statement, because another administrator may change the headers meanwhile.
    const changed = await env.db.run`
      insert into connection_profiles (name, origin, methods, request_headers, header_names, headers, enabled, created_at, updated_at)
      values (${name}, ${origin}, ${methods}, coalesce(cast(${ofPages} as text), '[]'), '[]', null, ${enabled}, ${now}, ${now})
      on conflict (name) do update set origin = excluded.origin, methods = excluded.methods,
        request_headers = coalesce(cast(${ofPages} as text), connection_profiles.request_headers),
        enabled = excluded.enabled, updated_at = excluded.updated_at
      where connection_profiles.headers is null or connection_profiles.origin = excluded.origin`;
    return changed === 0 ? "origin" : null;
  }
  const names = Object.keys(headers);
  const sealed = names.length === 0 ? null : sealHeaders(headers, given, env);
  if (sealed === null && names.length > 0) return "no key";
  await env.db.run`
    insert into connection_profiles (name, origin, methods, request_headers, header_names, headers, enabled, created_at, updated_at)
    values (${name}, ${origin}, ${methods}, coalesce(cast(${ofPages} as text), '[]'), ${JSON.stringify(names)}, ${sealed}, ${enabled},
      ${now}, ${now})
    on conflict (name) do update set origin = excluded.origin, methods = excluded.methods, enabled = excluded.enabled,
      request_headers = coalesce(cast(${ofPages} as text), connection_profiles.request_headers),
      header_names = excluded.header_names, headers = excluded.headers, updated_at = excluded.updated_at`;
  return null;
}

/** Deletes a profile and its grants. Returns false if there is no such profile. */
export async function deleteProfile(name: string, { db }: Env): Promise<boolean> {
  const steps = [
    // Locks the profile, so that no grant is added meanwhile.
    sql`update connection_profiles set name = name where name = ${name}`,
    optional`delete from connection_grants where profile = ${name}`,
    sql`delete from connection_profiles where name = ${name}`,
  ];
  return (await db.withReserve.batch(steps)) === "done";
}

/**
 * Encrypts the protected headers of profiles again if they were not encrypted with the first encryption key of the service. Skips headers
 * that none of its keys can decrypt. Returns the number of profiles that it changed.
 */
export async function resealHeaders(env: Env): Promise<number> {
  let resealed = 0;
  for (const profile of await listProfiles(env)) {
    const { name, sealed } = profile;
    if (sealed === null || !env.sealer.isOutdated(sealed)) continue;
    const headers = openHeaders(sealed, profile, env);
    if (headers === null) continue;
    const now = sealHeaders(headers, profile, env);
    resealed += await env.db.run`
      update connection_profiles set headers = ${now} where name = ${name} and headers = ${sealed}`;
  }
  return resealed;
}
