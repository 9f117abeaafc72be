import { EaselError } from "./errors.ts";

/** Which canvas a page belongs to, and the origin of the API that serves it (specification 1, URL modes). */
export interface Context {
  readonly slug: string;
  readonly base: string;
}

/** Reads the context from a page's own address; throws an `EaselError` where the address is no canvas's. */
export function contextOf(href: string | undefined): Context {
  const page = new URL(href ?? "about:blank");
  const context = isHttp(page) ? (pathMode(page) ?? subdomainMode(page)) : undefined;
  if (context) return context;
  throw new EaselError({
    status: 0,
    message: `This page is not part of a canvas, so Easel cannot tell which backend is meant: ${page.href}`,
  });
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
