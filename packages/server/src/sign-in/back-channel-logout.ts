import type { FastifyReply, FastifyRequest } from "fastify";
import { errors, type JWTPayload } from "jose";
import { announceAccess } from "../canvases/open-connections.ts";
import { tokenHash } from "../crypto/ids.ts";
import { joined, optional, type Sql, sql, step } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { readBody, refuseLargeBody } from "../http/body.ts";
import { take } from "../http/rate-limit.ts";
import { Refusal, refuse } from "../http/refusal.ts";
import { networkOf } from "../http/request-headers.ts";
import { verify } from "../identity/assertion.ts";
import { OidcError } from "./oidc-error.ts";
import type { Provider } from "./oidc-provider.ts";

/*
 * OpenID Connect Back-Channel Logout 1.0: the provider tells the service that a session there has ended. The session here then ends with it.
 * Access tokens and connected tools go on, because people sign out of the provider every day (docs/identity.md).
 */

const EVENT = "http://schemas.openid.net/event/backchannel-logout";
const MAX_BYTES = 32 * 1024;
/** The longest time between the issue of a logout token and its arrival, and how far the clock of the provider may be ahead, in seconds. */
const MAX_AGE_S = 120;
const AHEAD_S = 30;
/** A provider that signs everybody out at once sends one request for each session. */
const LOGOUTS_PER_MINUTE = 3_000;

/** What a logout token says: which sessions end, and by what the token is known. At least one of `subject` and `sid` is not null. */
interface Logout {
  issuer: string;
  subject: string | null;
  sid: string | null;
  jti: string;
}

/** Thrown for a logout token that does not count. The message is for the provider's log and ours. */
class InvalidLogout extends Error {}

/** Responds to `POST /auth/backchannel-logout`, which the provider calls without a browser. */
export async function endByProvider(
  request: FastifyRequest,
  reply: FastifyReply,
  provider: Provider,
  env: Env,
): Promise<FastifyReply> {
  reply.header("cache-control", "no-store");
  const bucket = { rateClass: "login", owner: networkOf(request.ip), part: "logout" } as const;
  if (!(await take(bucket, LOGOUTS_PER_MINUTE, reply, env))) refuse("RATE_LIMITED");
  const body = await readBody(request.raw, MAX_BYTES, () => refuseLargeBody(MAX_BYTES));
  const [token = "", ...more] = new URLSearchParams(body.toString("utf8")).getAll("logout_token");
  try {
    if (more.length > 0) throw new InvalidLogout("several logout tokens");
    const ended = await endSessions(await readLogout(token, provider, env), env);
    env.log.info({ sessions: ended }, "the provider has ended sessions");
    return reply.send();
  } catch (error) {
    if (error instanceof OidcError)
      return refuse("UNAVAILABLE", { message: "The provider does not answer." });
    const isInvalid = error instanceof InvalidLogout || error instanceof errors.JOSEError;
    if (!isInvalid) throw error;
    const why = error.message.slice(0, 200);
    env.log.warn(
      { requestId: request.id, client: request.ip, why },
      "a logout of the provider does not count",
    );
    throw new Refusal(400, { error: "invalid_request", error_description: why });
  }
}

/** Verifies a logout token. @throws InvalidLogout or JOSEError if it does not count, OidcError or Refusal if the keys cannot be fetched. */
async function readLogout(token: string, provider: Provider, env: Env): Promise<Logout> {
  const { issuer, keys } = await provider.signer();
  const now = env.clock();
  const claims = await verify(token, (header) => keys.key(header, now), {
    issuer,
    audience: env.config.oidcClientId,
    now,
    typ: "logout+jwt",
    needs: ["iat", "jti", "events"],
  });
  return { issuer, ...logoutIn(claims, now / 1000) };
}

/** Reads a verified logout token, `now` in seconds. @throws InvalidLogout if it is none that ends a session now. */
function logoutIn(claims: JWTPayload, now: number): Omit<Logout, "issuer"> {
  const { sub: subject = null, sid = null, jti, iat = 0, events } = claims;
  const event =
    typeof events === "object" && events !== null ? (events as Record<string, unknown>)[EVENT] : null;
  if (typeof event !== "object" || event === null) throw new InvalidLogout("the claim events has no logout");
  if ("nonce" in claims) throw new InvalidLogout("a nonce: this is an ID token");
  if (iat < now - MAX_AGE_S || iat > now + AHEAD_S)
    throw new InvalidLogout("the claim iat is not of the last two minutes");
  if (typeof jti !== "string" || jti === "") throw new InvalidLogout("no text in the claim jti");
  if (sid !== null && typeof sid !== "string") throw new InvalidLogout("no text in the claim sid");
  if (subject === null && sid === null) throw new InvalidLogout("neither sub nor sid");
  return { subject, sid, jti };
}

/**
 * Ends the sessions of a logout: the one that has begun in the provider's session `sid`, or all of the person. Returns their number.
 *
 * @throws InvalidLogout if the token has been used.
 */
async function endSessions({ issuer, subject, sid, jti }: Logout, env: Env): Promise<number> {
  const conditions: Sql[] = [];
  if (sid !== null) conditions.push(sql`provider_sid = ${sid}`);
  if (subject !== null)
    conditions.push(
      sql`user_id = (select user_id from identities where issuer = ${issuer} and subject = ${subject})`,
    );
  const those = joined(conditions.flatMap((each, at) => (at === 0 ? [each] : [sql`and`, each])));
  const found = await env.db.all<{ user_id: string }>(
    ...joined([sql`select user_id from sessions where user_id is not null and`, those]),
  );
  const outcome = await env.db.withReserve.batch([
    step(
      "used",
      sql`insert into used_tickets (hash, expires_at)
        values (${tokenHash(`logout ${issuer} ${jti}`)}, ${env.clock() + 2 * (MAX_AGE_S + AHEAD_S) * 1000}) on conflict do nothing`,
    ),
    optional(...joined([sql`delete from sessions where`, those])),
  ]);
  if (outcome === "used") throw new InvalidLogout("the token has been used");
  if (found.length > 0)
    await announceAccess({ people: [...new Set(found.map(({ user_id: id }) => id))] }, env);
  return found.length;
}
