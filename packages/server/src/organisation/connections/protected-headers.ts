import type { Env } from "../../env.ts";

/** Names and values of the headers that the service adds to each request of a profile. */
export type ProtectedHeaders = Record<string, string>;

/** The profile to which sealed headers belong. They open only with this name and this origin, so they never reach another server. */
interface Owner {
  name: string;
  origin: string;
}

const contextOf = ({ name, origin }: Owner) => JSON.stringify(["connection headers", name, origin]);

/** Encrypts protected headers. Returns null if the service has no encryption key. */
export const sealHeaders = (headers: ProtectedHeaders, owner: Owner, { sealer }: Env): string | null =>
  sealer.seal(JSON.stringify(headers), contextOf(owner));

/** Decrypts protected headers. Returns null if their key is missing, or if they were sealed for another profile or origin. */
export function openHeaders(sealed: string, owner: Owner, { sealer }: Env): ProtectedHeaders | null {
  const text = sealer.open(sealed, contextOf(owner));
  return text === null ? null : (JSON.parse(text) as ProtectedHeaders);
}
