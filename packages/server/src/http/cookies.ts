import { stringifySetCookie } from "cookie";

/** Every value that a `Cookie` header has for a name, in its order. */
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

/** A name of which browsers know that only this very host can have set it, on https. */
export const hostOnly = (name: string, secure: boolean): string => (secure ? `__Host-${name}` : name);

/** A `Set-Cookie` header that scripts cannot read. `maxAge` in milliseconds: 0 clears; without one it lives as the browser does. */
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
