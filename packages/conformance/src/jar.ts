import type { Header } from "./http.ts";

interface Cookie {
  name: string;
  value: string;
  /** The `Domain` of the cookie, or the host that set it if it has none. */
  domain: string;
  hostOnly: boolean;
  path: string;
  secure: boolean;
  /** The expiry in epoch milliseconds; infinite for a session cookie. */
  endsAt: number;
}

/** A cookie jar that honours `Domain`, `Path`, `Max-Age`, `Secure` and the `__Host-` prefix. */
export class Jar {
  #cookies: Cookie[] = [];

  /** Stores the cookies of a response from `url`, except those that a browser rejects. */
  take(url: URL, lines: string[] = []): void {
    for (const line of lines) {
      const cookie = parse(url, line);
      if (cookie === null) continue;
      this.#cookies = this.#cookies.filter((each) => !isSame(each, cookie));
      if (cookie.endsAt > Date.now()) this.#cookies.push(cookie);
    }
  }

  /** Returns the Cookie header for `url`, with the cookies of longer paths first. Returns no header if the jar has no cookie for `url`. */
  headersFor(url: URL): Header[] {
    const sent = this.#cookies
      .filter((each) => goesTo(each, url))
      .sort((a, b) => b.path.length - a.path.length);
    return sent.length === 0
      ? []
      : [["Cookie", sent.map(({ name, value }) => `${name}=${value}`).join("; ")]];
  }

  /** Returns the value of a cookie that is sent to `url`. */
  valueAt(url: URL, name: string): string | undefined {
    return this.#cookies.find((each) => each.name === name && goesTo(each, url))?.value;
  }
}

function parse(url: URL, line: string): Cookie | null {
  const [pair = "", ...rest] = line.split(";").map((part) => part.trim());
  const attributes = new Map(rest.map((part) => halves(part, (name) => name.toLowerCase())));
  const [name, value] = halves(pair);
  const given = attributes.get("domain")?.replace(/^\./, "").toLowerCase();
  const path = attributes.get("path");
  const cookie: Cookie = {
    name,
    value,
    domain: given || url.hostname,
    hostOnly: !given,
    path: path?.startsWith("/") ? path : url.pathname.replace(/\/[^/]*$/, "") || "/",
    secure: attributes.has("secure"),
    endsAt: endOf(attributes),
  };
  if (name.startsWith("__Host-") && !(cookie.secure && cookie.hostOnly && path === "/")) return null;
  if (cookie.secure && url.protocol !== "https:") return null;
  if (given && !isUnder(url.hostname, given)) return null;
  // A domain of one label counts as a public suffix, for which browsers accept no cookies.
  if (given && !given.includes(".") && given !== url.hostname) return null;
  return cookie;
}

function halves(text: string, change = (name: string) => name): [string, string] {
  const at = text.indexOf("=");
  return at === -1 ? [change(text), ""] : [change(text.slice(0, at)), text.slice(at + 1)];
}

function endOf(attributes: Map<string, string>): number {
  const seconds = attributes.get("max-age");
  if (seconds !== undefined) return Date.now() + Number(seconds) * 1000;
  const date = attributes.get("expires");
  return date === undefined ? Number.POSITIVE_INFINITY : Date.parse(date);
}

const isUnder = (host: string, domain: string) => host === domain || host.endsWith(`.${domain}`);

const isSame = (a: Cookie, b: Cookie) =>
  a.name === b.name && a.domain === b.domain && a.path === b.path && a.hostOnly === b.hostOnly;

const goesTo = ({ domain, hostOnly, path, secure, endsAt }: Cookie, { protocol, hostname, pathname }: URL) =>
  (hostOnly ? hostname === domain : isUnder(hostname, domain)) &&
  (pathname === path || pathname.startsWith(path.endsWith("/") ? path : `${path}/`)) &&
  (!secure || protocol === "https:") &&
  endsAt > Date.now();
