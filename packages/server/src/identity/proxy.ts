import { isUtf8 } from "node:buffer";
import { hash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { type Member, normalEmail } from "../access/principal.ts";
import type { Config } from "../config/config.ts";
import type { Env } from "../env.ts";
import type { Assertion } from "./assertion.ts";
import type { Identified } from "./credential.ts";
import { personOf } from "./identities.ts";
import { cleanName, upsertUser } from "./users.ts";

/** Whether the identity headers that a peer sends are trusted. An IPv4 address mapped into IPv6 counts as the IPv4 address. */
export function isTrustedPeer(address: string | undefined, config: Config): boolean {
  if (address === undefined || isIP(address) === 0) return false;
  return config.proxyTrustedIps.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}

/** The header in which the proxy sends SERVICE_PROXY_SECRET. */
const SECRET_HEADER = "x-service-proxy-secret";

/** Whether a request has a secret of SERVICE_PROXY_SECRET. True without that setting. Takes as long for a wrong secret as for a right one. */
export function hasProxySecret(request: IncomingMessage, { proxySecret }: Config): boolean {
  if (proxySecret === null) return true;
  const given = digest(singleHeader(request, SECRET_HEADER) ?? "");
  return proxySecret.filter((each) => timingSafeEqual(digest(each), given)).length > 0;
}

const digest = (text: string): Buffer => hash("sha256", text, "buffer");

/** Returns the value of a header, or null if it is absent, sent more than once or not UTF-8. */
function singleHeader(request: IncomingMessage, header: string): string | null {
  const values = request.headersDistinct[header.toLowerCase()];
  if (values?.length !== 1) return null;
  // Node decodes the bytes of headers as Latin-1, but proxies send UTF-8.
  const bytes = Buffer.from(values[0] ?? "", "latin1");
  return isUtf8(bytes) ? bytes.toString("utf8") : null;
}

/**
 * Returns the user whom the authenticating proxy asserts in a request, and creates the user if necessary. Returns null if there is no valid
 * assertion or the user may not sign in. Throws `UNAVAILABLE` if the keys cannot be fetched.
 */
export async function proxyUser(request: IncomingMessage, env: Env): Promise<Identified | null> {
  const assertion = await readProxyAssertion(request, env);
  const email = assertion === null ? null : normalEmail(assertion.email, env.config.allowedEmailDomains);
  if (assertion === null || email === null) return null;
  const user = await userOfAssertion({ ...assertion, email }, env);
  return user && { user, credential: { kind: "assertion", until: assertion.until } };
}

/** Finds the person of an assertion: by their account if the proxy has signed it, otherwise by the address. Returns null if there is none. */
async function userOfAssertion(
  { account, email, name: given, groups, directoryId }: Assertion,
  env: Env,
): Promise<Member | null> {
  const name = cleanName(given);
  if (account === null) return upsertUser(env.db, email, name, env.clock());
  const person = await personOf({ ...account, email, name, groups, directoryId }, env, { always: false });
  if (typeof person !== "string") return person;
  env.log.warn({ why: person, email, ...account }, "the proxy asserts somebody who may not sign in");
  return null;
}

/**
 * Reads the identity that the proxy asserts in a request: from the signed token if keys are configured, otherwise from the plain headers of
 * a trusted peer. Returns null if there is none.
 */
async function readProxyAssertion(request: IncomingMessage, env: Env): Promise<Assertion | null> {
  const { config, proxyKeys } = env;
  if (proxyKeys !== null) {
    const token = singleHeader(request, config.proxyJwtHeader);
    if (token === null) return null;
    const { readAssertion } = await import("./assertion.ts");
    return readAssertion(token, proxyKeys, env);
  }
  if (!isTrustedPeer(request.socket.remoteAddress, config) || !hasProxySecret(request, config)) return null;
  const email = singleHeader(request, config.proxyEmailHeader);
  const name = singleHeader(request, config.proxyNameHeader);
  return email === null
    ? null
    : { email, name, account: null, groups: null, directoryId: null, until: Number.POSITIVE_INFINITY };
}
