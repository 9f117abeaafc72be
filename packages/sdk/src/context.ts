import { EaselError } from "./errors.ts";

/** The slug of the canvas that a page belongs to, and `base`, the origin of its API (specification 1, URL modes). */
export interface Context {
  readonly slug: string;
  readonly base: string;
}

/** Where the address of a canvas has its slug: in the path (`/c/{slug}/`) or in the host name (`{slug}.example.org`). Specification 1. */
export type UrlMode = "path" | "subdomain";

/**
 * Returns the slug and the API origin that the address of a page contains. If `urlMode` is undefined, tries path mode first and then
 * subdomain mode. Throws an `EaselError` if the page does not belong to a canvas.
 */
export function contextOf(href: string | URL | undefined, urlMode?: UrlMode): Context {
  const page = new URL(href ?? "about:blank");
  const context = isHttp(page) ? read(page, urlMode) : undefined;
  if (context) return context;
  throw new EaselError({
    status: 0,
    message: `This page is not part of a canvas, so it has no Easel backend: ${page.href}`,
  });
}

function read(page: URL, urlMode: UrlMode | undefined): Context | undefined {
  if (urlMode === "path") return pathMode(page);
  if (urlMode === "subdomain") return subdomainMode(page);
  return pathMode(page) ?? subdomainMode(page);
}

function isHttp({ protocol }: URL): boolean {
  return protocol === "https:" || protocol === "http:";
}

/** Returns the slug and the origin of an address `{origin}/c/{slug}/…`, or undefined if the address has another form. */
function pathMode({ origin, pathname }: URL): Context | undefined {
  const slug = decoded(/^\/c\/([^/]+)/.exec(pathname)?.[1]);
  return slug ? { slug, base: origin } : undefined;
}

/**
 * Returns the slug and the API origin of an address on `{slug}.{base_host}`: the first label of the host name, and the origin of
 * `{base_host}`. Returns undefined if the host name is an IP address or has only one label.
 */
function subdomainMode({ protocol, host, hostname }: URL): Context | undefined {
  if (isAddress(hostname)) return undefined;
  const [, slug, rest] = /^([^.]+)\.([^.:].*)$/.exec(host) ?? [];
  return slug && rest ? { slug, base: `${protocol}//${rest}` } : undefined;
}

/** Whether a host name is an IPv4 or IPv6 address. `URL` has normalized IPv4 to four decimal numbers. */
function isAddress(hostname: string): boolean {
  return hostname.startsWith("[") || /\.\d+$/.test(hostname);
}

function decoded(segment: string | undefined): string | undefined {
  try {
    return segment && decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
