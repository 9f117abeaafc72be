import { stringifySetCookie } from "cookie";

/** Returns every value of a cookie in a `Cookie` header, in the order of the header. */
export function cookiesNamed(header: string | undefined, name: string): string[] {
  const values: string[] = [];
  if (header === undefined) return values;
  const start = `${name}=`;
  for (let from = 0, end: number; from <= header.length; from = end + 1) {
    end = header.indexOf(";", from);
    if (end === -1) end = header.length;
    const pair = header.slice(from, end).trim();
    if (pair.startsWith(start)) values.push(pair.slice(start.length));
  }
  return values;
}

/**
 * Adds the prefix `__Host-` to the name of a cookie if the service uses https. Browsers let no other host set a cookie with this prefix.
 */
export const hostOnly = (name: string, secure: boolean): string => (secure ? `__Host-${name}` : name);

/**
 * Builds a `Set-Cookie` header for an HttpOnly cookie. `maxAge` is in milliseconds; 0 deletes the cookie. Without `maxAge` it is a session
 * cookie.
 */
export const setCookie = (
  name: string,
  value: string,
  {
    maxAge,
    secure,
    path = "/",
    domain,
  }: { maxAge?: number; secure: boolean; path?: string; domain?: string },
): string =>
  stringifySetCookie({
    name,
    value,
    path,
    ...(maxAge === undefined ? {} : { maxAge: Math.floor(maxAge / 1000) }),
    ...(domain === undefined ? {} : { domain }),
    httpOnly: true,
    sameSite: "lax",
    secure,
  });
