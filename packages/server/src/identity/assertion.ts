import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import { tokenHash } from "../crypto/ids.ts";
import type { Jwks } from "../crypto/jwks.ts";
import type { Env } from "../env.ts";
import { Refusal } from "../http/refusal.ts";

/** Signatures by a private key only: with a shared secret, whoever verifies could sign as well. */
const ALGORITHMS = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
];
const MAX_LENGTH = 16 * 1024;
/** Base64 decoders read over spaces and padding; a token has neither. */
const COMPACT = /^[\w-]+\.[\w-]*\.[\w-]+$/;
/** How far clocks may be apart. */
const TOLERANCE_S = 30;
/** A verified token is remembered for this long, unless it ends sooner. */
const MEMORY_MS = 60 * 1000;
const MAX_REMEMBERED = 5_000;

/** What a proxy says about who sent a request. */
export interface Assertion {
  email: string;
  name: string | null;
  /** When it ends to count, in epoch milliseconds; infinite for headers, which each request has anew. */
  until: number;
}

/** What a token must say, and when it is read (epoch milliseconds). An issuer or audience that is not set is nobody's. */
interface Expected {
  issuer: string | null;
  audience: string | null;
  now: number;
}

/** The claims of a signed token. @throws JOSEError or TypeError when it is not one that counts, and what `key` throws. */
export async function verify(
  token: string,
  key: JWTVerifyGetKey,
  { issuer, audience, now }: Expected,
): Promise<JWTPayload> {
  if (token.length > MAX_LENGTH || !COMPACT.test(token)) throw new errors.JWSInvalid("Not a compact JWS");
  const { payload } = await jwtVerify(token, key, {
    algorithms: ALGORITHMS,
    issuer: issuer ?? [],
    audience: audience ?? [],
    requiredClaims: ["exp"],
    clockTolerance: TOLERANCE_S,
    currentDate: new Date(now),
  });
  return payload;
}

/** What the proxy's signed token says; null when it does not count. @throws Refusal UNAVAILABLE when no key can decide. */
export async function readAssertion(token: string, keys: Jwks, env: Env): Promise<Assertion | null> {
  try {
    return assertionOf(await getCached(token, keys, env));
  } catch (error) {
    if (error instanceof Refusal) throw error;
    env.log.debug({ reason: String(error) }, "a signed token does not count");
    return null;
  }
}

/** Verifying costs some 100 µs: the same token within a minute is looked up instead. */
async function getCached(token: string, keys: Jwks, { config, clock }: Env): Promise<JWTPayload> {
  const now = clock();
  // Taken before the key is: what a key verifies that is gone meanwhile is not remembered among those that came.
  const { verified } = keys;
  const hash = tokenHash(token);
  const known = verified.get(hash);
  if (known !== undefined && now < known.until) return known.claims;
  const claims = await verify(token, (header) => keys.key(header, now), {
    issuer: config.proxyJwtIssuer,
    audience: config.proxyJwtAudience,
    now,
  });
  const until = Math.min(now + MEMORY_MS, (claims.exp ?? 0) * 1000);
  verified.delete(hash);
  verified.set(hash, { claims, until });
  const [oldest] = verified.size > MAX_REMEMBERED ? verified.keys() : [];
  if (oldest !== undefined) verified.delete(oldest);
  return claims;
}

function assertionOf({
  email,
  email_verified: verified = true,
  name,
  exp = 0,
}: JWTPayload): Assertion | null {
  // Some providers write their truths as text.
  if (typeof email !== "string" || (verified !== true && verified !== "true")) return null;
  const until = (exp + TOLERANCE_S) * 1000;
  return { email, name: typeof name === "string" ? name : null, until };
}
