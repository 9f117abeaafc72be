import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { normalEmail } from "../access/email.ts";
import type { User } from "../access/principal.ts";
import type { Config } from "../config/config.ts";
import type { Env } from "../env.ts";
import type { Assertion } from "./assertion.ts";
import { cleanName, upsertUser } from "./users.ts";

/** Whether what this peer says of others counts; an IPv4 address mapped into IPv6 counts as itself. */
export function isTrustedPeer(address: string | undefined, config: Config): boolean {
  if (address === undefined || isIP(address) === 0) return false;
  return config.proxyTrustedIps.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}

/** The only value of a header; null when it is absent, was sent more than once or is not UTF-8. */
function single(request: IncomingMessage, header: string): string | null {
  const values = request.headersDistinct[header.toLowerCase()];
  if (values?.length !== 1) return null;
  // Node reads header bytes as Latin-1; proxies send UTF-8.
  const bytes = Buffer.from(values[0] ?? "", "latin1");
  return isUtf8(bytes) ? bytes.toString("utf8") : null;
}

/** Whom the proxy says this request comes from; null when it says nothing that counts. @throws Refusal UNAVAILABLE when no key can decide. */
export async function proxyUser(request: IncomingMessage, env: Env): Promise<User | null> {
  const said = await readProxyAssertion(request, env);
  const email = said === null ? null : normalEmail(said.email, env.config.allowedEmailDomains);
  return said === null || email === null
    ? null
    : upsertUser(env.db, email, cleanName(said.name), env.clock());
}

/** When a signed token of this request ends to count, in epoch milliseconds; infinite where the proxy signs nothing. */
export async function assertedUntil(request: IncomingMessage, env: Env): Promise<number> {
  if (env.proxyKeys === null) return Number.POSITIVE_INFINITY;
  return (await readProxyAssertion(request, env))?.until ?? 0;
}

/** By its signed token alone where there are keys to verify one, otherwise by its headers. */
async function readProxyAssertion(request: IncomingMessage, env: Env): Promise<Assertion | null> {
  const { config, proxyKeys } = env;
  if (proxyKeys !== null) {
    const token = single(request, config.proxyJwtHeader);
    if (token === null) return null;
    const { readAssertion } = await import("./assertion.ts");
    return readAssertion(token, proxyKeys, env);
  }
  if (!isTrustedPeer(request.socket.remoteAddress, config)) return null;
  const email = single(request, config.proxyEmailHeader);
  const name = single(request, config.proxyNameHeader);
  return email === null ? null : { email, name, until: Number.POSITIVE_INFINITY };
}
