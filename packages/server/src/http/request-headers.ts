import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { isIPv6 } from "node:net";
import { MIMEType } from "node:util";
import { stringifySetCookie } from "cookie";

/** An HTTP request, or only its headers. */
export type HasHeaders = Pick<IncomingMessage, "headers">;

/** Whether the request accepts HTML, as browsers do when they open a page. */
export const wantsPage = ({ accept }: IncomingHttpHeaders): boolean => accept?.includes("text/html") === true;

/** The maximum length of a media type with its parameters, in characters. `MIMEType` takes quadratic time for white space in a longer one. */
const MAX_LENGTH = 1024;

/** Parses the value of a `Content-Type` header. Returns null if it is missing, malformed or too long. */
export function parseMediaType(header: string | undefined): MIMEType | null {
  if (header === undefined || header.length > MAX_LENGTH) return null;
  try {
    return new MIMEType(header);
  } catch {
    return null;
  }
}

/**
 * Returns the network whose rate limit applies to a client. For an IPv6 address this is its /64 prefix, which usually belongs to one
 * subscriber; for an IPv4-mapped address, the IPv4 address (decision 018). Any other text is returned unchanged. A connection that the client
 * has broken off has no address any more.
 */
export function networkOf(address: string | undefined = ""): string {
  const [plain = ""] = address.split("%");
  if (!isIPv6(plain)) return address;
  // The URL parser normalises the address and writes its last 32 bits in hexadecimal.
  const written = new URL(`http://[${plain}]`).hostname.slice(1, -1);
  const [head = "", tail] = written.split("::");
  const first = head === "" ? [] : head.split(":");
  const last = tail === undefined || tail === "" ? [] : tail.split(":");
  const groups = [...first, ...Array<string>(8 - first.length - last.length).fill("0"), ...last];
  if (groups.slice(0, 6).join(":") === "0:0:0:0:0:ffff") return ipv4Of(groups.slice(6));
  return `${groups.slice(0, 4).join(":")}::/64`;
}

/** Converts the last two groups of an IPv4-mapped IPv6 address, which are hexadecimal, to an IPv4 address. */
const ipv4Of = (groups: string[]): string =>
  groups
    .map((group) => Number.parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 0xff])
    .join(".");

/** Whether `If-None-Match` matches an entity tag, so that the client already has the representation. */
export function isFresh({ "if-none-match": known }: IncomingHttpHeaders, etag: string): boolean {
  if (known === undefined) return false;
  return known.split(",").some((each) => ["*", etag, `W/${etag}`].includes(each.trim()));
}

/**
 * Parses `Range` and `If-Range`. Returns the positions of the first and last byte of one range, "all" for the whole representation, or
 * "none" if the range cannot be satisfied. A malformed range, several ranges, and an `If-Range` that does not match result in "all".
 */
export function rangeOf(
  { range, "if-range": validator }: IncomingHttpHeaders,
  size: number,
  etag: string,
): { start: number; end: number } | "all" | "none" {
  if (range === undefined || (validator !== undefined && validator !== etag)) return "all";
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(range) ?? [];
  const isSuffix = first === "";
  if (isSuffix ? last === "" : last !== "" && Number(last) < Number(first)) return "all";
  const start = isSuffix ? Math.max(0, size - Number(last)) : Number(first);
  const end = isSuffix || last === "" ? size - 1 : Math.min(Number(last), size - 1);
  return start <= end ? { start, end } : "none";
}

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
