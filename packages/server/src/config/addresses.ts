import { contentPath } from "../http/canvas-path.ts";
import type { Config } from "./config.ts";

/** The public addresses of the service, all of them decided by SERVICE_BASE_URL and SERVICE_URL_MODE. */
export interface Base {
  /** Scheme, host and port, without a slash at the end. */
  origin: string;
  /** Host with its port, as a `Host` header names it. */
  host: string;
  hostname: string;
  /** Whether browsers reach the service by https. */
  secure: boolean;
  urlMode: "path" | "subdomain";
  /** The origin of a canvas page. */
  canvasOrigin(slug: string): string;
  /** Where a canvas is served, with a slash at the end. */
  canvasUrl(slug: string): string;
  /** The origins of all canvases as a security policy names them; null when they share that of the service. */
  canvasHosts: string | null;
  /** What a host is called below the base host; null when it is not below it, or canvases have no hosts of their own. */
  labelOf(host: string): string | null;
}

/** `port` is the one the service really listens at. */
export function baseOf(config: Config, port: number): Base {
  const { origin, host, hostname, protocol } = new URL(config.baseUrl ?? `http://localhost:${port}`);
  const subdomains = config.urlMode === "subdomain";
  const canvasOrigin = (slug: string) => (subdomains ? `${protocol}//${slug}.${host}` : origin);
  return {
    origin,
    host,
    hostname,
    secure: protocol === "https:",
    urlMode: config.urlMode,
    canvasOrigin,
    canvasHosts: subdomains ? `${protocol}//*.${host}` : null,
    labelOf: (name) => (subdomains && name.endsWith(`.${host}`) ? name.slice(0, -host.length - 1) : null),
    canvasUrl: (slug) => (subdomains ? `${canvasOrigin(slug)}/` : `${origin}${contentPath(slug)}/`),
  };
}
