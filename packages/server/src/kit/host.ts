import type { IncomingHttpHeaders } from "node:http";

/**
 * The host that a request is for, with its port, in lower case; empty when it names none. As in a URL, the port that the
 * scheme has anyway is left out: some proxies name it.
 */
export function hostOf({ host = "" }: IncomingHttpHeaders, { secure }: { secure: boolean }): string {
  const [, name, port] = /^([^:[]+|\[[^\]]*\]):(\d+)$/.exec(host.toLowerCase()) ?? [];
  return name !== undefined && port === (secure ? "443" : "80") ? name : host.toLowerCase();
}
