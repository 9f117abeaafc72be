import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import type { Env } from "../env.ts";
import { loggable, logIds } from "./log.ts";
import type { Refusal } from "./refusal.ts";
import { networkOf } from "./request-headers.ts";

declare module "node:http" {
  interface IncomingMessage {
    /** The id of the person who has sent the request, once they are authenticated. */
    callerId?: string;
  }
}

/** What the security log tells of: a line of the log at the level `info` for each, with the field `security`. */
type SecurityEvent =
  | "session.start" // somebody has signed in, or a guest has opened an invitation
  | "session.refused" // somebody was not signed in
  | "session.end" // somebody has signed out
  | "token.first-use" // an access token is used for the first time
  | "request.refused"; // a request was refused for who sent it, or how many

/** Writes a line of the security log. The fields contain no secret. */
export function logSecurity(
  event: SecurityEvent,
  fields: Record<string, unknown>,
  { log }: Pick<Env, "log">,
  message: string = event,
): void {
  log.info({ security: { event, ...fields } }, message);
}

/** Counts and logs that somebody was not signed in. `fields` say who the provider, or the person, says that it is. */
export function noteRefusedSignIn(
  reason: string,
  fields: Record<string, unknown>,
  request: FastifyRequest,
  env: Env,
): void {
  env.metrics.signIns.add(1, reason);
  const all = { reason, ...fields, address: request.ip, ...logIds(request) };
  logSecurity("session.refused", all, env, "a sign-in was refused");
}

/** The statuses of refusals that say something of their caller: not allowed, for another host, or too often. */
const TELLING = [403, 421, 429];

/** Whether a refusal belongs into the security log. A 401 does if the request has a credential that is not accepted. */
const tells = ({ status }: Refusal, { headers }: IncomingMessage): boolean =>
  TELLING.includes(status) || (status === 401 && headers.authorization !== undefined);

/** Logs a refusal that says something of its caller: of each caller and code the first ones in a minute. */
export function logRefusal(refusal: Refusal, request: FastifyRequest, env: Env): void {
  const { raw, ip } = request;
  if (!tells(refusal, raw)) return;
  const { callerId: person = null } = raw;
  const code = refusal.code ?? null;
  const key = `${person ?? networkOf(ip)} ${refusal.status} ${code}`;
  const { kept, leftOut } = env.refusalSample.take(key, env.clock());
  if (leftOut > 0) env.log.info({ leftOut }, "further refusals of the last minute were not logged");
  if (!kept) return;
  const fields = { status: refusal.status, code, person, address: ip, ...loggable(request) };
  logSecurity("request.refused", fields, env, "a request was refused");
}
