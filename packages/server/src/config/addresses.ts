import { contentPath } from "../http/canvas-path.ts";
import type { Config } from "./config.ts";

/** The public addresses of the service, derived from SERVICE_BASE_URL and SERVICE_URL_MODE. */
export interface Base {
  /** Scheme, host and port, without a slash at the end. */
  origin: string;
  /** Host with port, as in a `Host` header. */
  host: string;
  hostname: string;
  /** Whether browsers reach the service over https. */
  secure: boolean;
  /** The value of `Strict-Transport-Security`; null over http. */
  hsts: string | null;
  urlMode: "path" | "subdomain";
  /** The origin of a canvas page. */
  canvasOrigin(slug: string): string;
  /** The URL of a canvas, with a slash at the end. */
  canvasUrl(slug: string): string;
  /** The CSP source that matches the origin of every canvas. Null in path mode, where all canvases have the origin of the service. */
  canvasHosts: string | null;
  /**
   * Returns the part of a host before the base host, such as `sales` in `sales.easel.example`. Returns null for other hosts and in path
   * mode.
   */
  labelOf(host: string): string | null;
}

/** Makes browsers use https for one year, for the host alone or also for all hosts below it. */
const HSTS = { host: "max-age=31536000", subdomains: "max-age=31536000; includeSubDomains" } as const;

/** Computes the public addresses of the service. `port` is the port on which the service listens. */
export function baseOf(config: Config, port: number): Base {
  const { origin, host, hostname, protocol } = new URL(config.baseUrl ?? `http://localhost:${port}`);
  const subdomains = config.urlMode === "subdomain";
  const canvasOrigin = (slug: string) => (subdomains ? `${protocol}//${slug}.${host}` : origin);
  return {
    origin,
    host,
    hostname,
    secure: protocol === "https:",
    hsts: protocol === "https:" ? HSTS[config.hsts] : null,
    urlMode: config.urlMode,
    canvasOrigin,
    canvasHosts: subdomains ? `${protocol}//*.${host}` : null,
    labelOf: (name) => (subdomains && name.endsWith(`.${host}`) ? name.slice(0, -host.length - 1) : null),
    canvasUrl: (slug) => (subdomains ? `${canvasOrigin(slug)}/` : `${origin}${contentPath(slug)}/`),
  };
}
