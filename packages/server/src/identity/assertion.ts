import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import type { Config } from "../config/config.ts";
import { tokenHash } from "../crypto/ids.ts";
import type { Jwks } from "../crypto/jwks.ts";
import type { Env } from "../env.ts";
import { Refusal } from "../http/refusal.ts";
import { directoryIdIn } from "./directory-id.ts";
import { groupsIn } from "./group-claim.ts";
import type { AccountId } from "./identities.ts";

/** The accepted signature algorithms: asymmetric ones only. */
const ALGORITHMS = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
];
const MAX_TOKEN_LENGTH = 16 * 1024;
/** The format of a compact JWS, `header.payload.signature`. This check is needed because base64 decoders ignore spaces and padding. */
const COMPACT = /^[\w-]+\.[\w-]*\.[\w-]+$/;
/** The tolerated clock skew, in seconds. */
const TOLERANCE_S = 30;
/** The time for which the claims of a verified token are cached, unless the token expires sooner. */
const CACHE_MS = 60 * 1000;
const MAX_CACHED = 5_000;

/** The identity of the caller, as the authenticating proxy asserts it in a request. */
export interface Assertion {
  email: string;
  name: string | null;
  /** The account at the issuer of the signed token; null if the token has no subject, or the proxy sends plain headers instead. */
  account: AccountId | null;
  /** The id of the person in the directory, if the token has it. */
  directoryId: string | null;
  /** Null if no claim of the token is read for them, or the token has only a pointer to them. */
  groups: string[] | null;
  /** When the signed token expires, in epoch milliseconds. Infinity if the proxy sends plain headers with each request instead. */
  until: number;
}

/** The expected claims, and the current time in epoch milliseconds. If the issuer or the audience is null, no token is valid. */
interface Expected {
  issuer: string | null;
  audience: string | null;
  now: number;
  /** The type that the header must name; any by default. */
  typ?: string;
  /** The claims that the token must have; `exp` by default. */
  needs?: string[];
}

/**
 * Verifies a signed token and returns its claims. Throws a JOSEError or TypeError if the token is not valid, and rethrows the errors of
 * `key`.
 */
export async function verify(
  token: string,
  key: JWTVerifyGetKey,
  { issuer, audience, now, typ, needs = ["exp"] }: Expected,
): Promise<JWTPayload> {
  if (token.length > MAX_TOKEN_LENGTH || !COMPACT.test(token))
    throw new errors.JWSInvalid("Not a compact JWS");
  const { payload } = await jwtVerify(token, key, {
    algorithms: ALGORITHMS,
    issuer: issuer ?? [],
    audience: audience ?? [],
    requiredClaims: needs,
    ...(typ !== undefined && { typ }),
    clockTolerance: TOLERANCE_S,
    currentDate: new Date(now),
  });
  return payload;
}

/**
 * Verifies the signed token of the authenticating proxy and returns the identity in it, or null if the token is not valid. Throws
 * `UNAVAILABLE` if the keys cannot be fetched.
 */
export async function readAssertion(token: string, keys: Jwks, env: Env): Promise<Assertion | null> {
  try {
    return assertionOf(await getCached(token, keys, env), env.config);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    env.log.debug({ reason: String(error) }, "a signed token of the proxy is not valid");
    return null;
  }
}

/** Returns the claims of a token. Verifies a token only if its claims are not cached, because verifying takes about 100 µs. */
async function getCached(token: string, keys: Jwks, { config, clock }: Env): Promise<JWTPayload> {
  const now = clock();
  // Uses the cache of the current keys. If the keys are replaced meanwhile, the claims are added to this cache, which is discarded with the
  // old keys.
  const { verified } = keys;
  const hash = tokenHash(token);
  const known = verified.get(hash);
  if (known !== undefined && now < known.until) return known.claims;
  const claims = await verify(token, (header) => keys.key(header, now), {
    issuer: config.proxyJwtIssuer,
    audience: config.proxyJwtAudience,
    now,
  });
  const until = Math.min(now + CACHE_MS, (claims.exp ?? 0) * 1000);
  verified.delete(hash);
  verified.set(hash, { claims, until });
  const [oldest] = verified.size > MAX_CACHED ? verified.keys() : [];
  if (oldest !== undefined) verified.delete(oldest);
  return claims;
}

/** Returns the identity in the claims of a verified token, or null if it has no verified address or no group that may sign in. */
function assertionOf(
  claims: JWTPayload,
  config: Pick<Config, "oidcGroupsClaim" | "oidcAllowedGroups" | "scimIdClaim">,
): Assertion | null {
  const { oidcGroupsClaim, oidcAllowedGroups } = config;
  const { iss, sub, email, email_verified: verified = true, name, exp = 0 } = claims;
  // Some providers send booleans as text.
  if (typeof email !== "string" || (verified !== true && verified !== "true")) return null;
  const told = oidcGroupsClaim === null ? "elsewhere" : (groupsIn(claims, oidcGroupsClaim) ?? []);
  const groups = told === "elsewhere" ? null : told;
  if (oidcAllowedGroups.length > 0 && !oidcAllowedGroups.some((each) => groups?.includes(each))) return null;
  const hasAccount = typeof iss === "string" && typeof sub === "string" && sub !== "";
  return {
    email,
    name: typeof name === "string" ? name : null,
    account: hasAccount ? { issuer: iss, subject: sub } : null,
    directoryId: directoryIdIn(claims, config),
    groups,
    until: (exp + TOLERANCE_S) * 1000,
  };
}
