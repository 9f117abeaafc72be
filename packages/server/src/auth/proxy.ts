import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import type { Config } from "../config.ts";
import type { Env } from "../env.ts";
import { arrive, normalEmail, type Person } from "./people.ts";

/** Whether identity headers of this peer count; an IPv4 address mapped into IPv6 counts as itself. */
export function isTrustedPeer(address: string | undefined, config: Config): boolean {
  if (address === undefined || isIP(address) === 0) return false;
  return config.proxyTrustedIps.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}

/** The only value of a header; null when it is absent or was sent more than once. */
function single(request: IncomingMessage, header: string): string | null {
  const values = request.headersDistinct[header.toLowerCase()];
  // Node reads header bytes as Latin-1; proxies send UTF-8.
  return values?.length === 1 ? Buffer.from(values[0] ?? "", "latin1").toString("utf8") : null;
}

/** Whom the proxy says this request comes from; null when it says nothing that counts. */
export async function proxyPerson(request: IncomingMessage, env: Env): Promise<Person | null> {
  const { config } = env;
  if (!isTrustedPeer(request.socket.remoteAddress, config)) return null;
  const email = normalEmail(single(request, config.proxyEmailHeader) ?? "", config.allowedEmailDomains);
  if (email === null) return null;
  return arrive(env.db, email, cleanName(single(request, config.proxyNameHeader)), env.clock());
}

function cleanName(value: string | null): string | null {
  const name = (value ?? "").trim().slice(0, 200);
  return name === "" || name.includes("\u0000") ? null : name;
}
