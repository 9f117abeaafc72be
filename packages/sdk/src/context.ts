import { EaselError } from "./errors.ts";

/** Which canvas a page belongs to, and the origin of the API that serves it (specification 1, URL modes). */
export interface Context {
  readonly slug: string;
  readonly base: string;
}

/** How the service gives canvases their addresses (specification 1). */
export type UrlMode = "path" | "subdomain";

/**
 * Reads the context from a page's own address; throws an `EaselError` where the address is no canvas's. Without a URL mode an
 * address that fits both is read in path mode.
 */
export function contextOf(href: string | undefined, urlMode?: UrlMode): Context {
  const page = new URL(href ?? "about:blank");
  const context = isHttp(page) ? read(page, urlMode) : undefined;
  if (context) return context;
  throw new EaselError({
    status: 0,
    message: `This page is not part of a canvas, so Easel cannot tell which backend is meant: ${page.href}`,
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

/** `{base}/c/{slug}/…` on any origin. */
function pathMode({ origin, pathname }: URL): Context | undefined {
  const slug = decoded(/^\/c\/([^/]+)/.exec(pathname)?.[1]);
  return slug ? { slug, base: origin } : undefined;
}

/** `{slug}.{base_host}`: the first label is the slug, the rest with its port is the base. */
function subdomainMode({ protocol, host, hostname }: URL): Context | undefined {
  if (isAddress(hostname)) return undefined;
  const [, slug, rest] = /^([^.]+)\.([^.:].*)$/.exec(host) ?? [];
  return slug && rest ? { slug, base: `${protocol}//${rest}` } : undefined;
}

/** True of IPv6 and IPv4 hosts; URL has written the latter as four decimals by now. */
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
