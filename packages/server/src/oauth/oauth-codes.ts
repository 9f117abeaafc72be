import { randomInt } from "node:crypto";
import type { TokenScope } from "@easel/protocol/management";
import type { User } from "../access/principal.ts";
import type { CanvasData } from "../canvases/canvas-data.ts";
import { isToken, newToken, tokenHash } from "../crypto/ids.ts";
import { readTicket, type TicketPurpose } from "../crypto/tickets.ts";
import { sql } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { refuse } from "../http/refusal.ts";
import { networkOf } from "../http/request-headers.ts";
import type { Caller } from "../identity/credential.ts";
import { storeFor } from "../identity/lock-credential.ts";
import type { AskedAccess } from "./asked-access.ts";
import { refuseOAuth } from "./program-endpoint.ts";

/** The letters of user codes. They have no vowels, so that they form no words, and no letters that look alike (RFC 8628, section 6.1). */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
const LENGTH = 8;

/** Creates a user code of 8 letters, which has 34 bits of entropy. */
const newUserCode = (): string =>
  Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join("");

/** Returns what is stored of a user code: short as it is, a plain hash of it could be guessed by a reader of the database. */
const userCodeHash = (code: string, { signer }: Env): string => signer.sign("user-code", code);

/** Formats a user code for people: `WDJB-MJHT`. */
export const formatUserCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`;

/**
 * Reads a user code that a person has typed, in any case, with or without dashes and spaces. Returns null if the text is not a user code.
 */
export function readUserCode(typed: string): string | null {
  const code = typed.toUpperCase().replace(/[\s\p{P}]/gu, "");
  return code.length === LENGTH && [...code].every((letter) => LETTERS.includes(letter)) ? code : null;
}

/** Returns the question in the ticket of an answered form. Throws 400 `INVALID_BODY` if the ticket is not valid for this person now. */
export const readAnswered = <Asked>(purpose: TicketPurpose, ticket: string, user: User, env: Env): Asked =>
  readTicket<Asked>(purpose, ticket, user, env)?.asked ??
  refuse("INVALID_BODY", {
    message: "This question has run out. Start again in the program that has asked.",
  });

const CODE_LIFETIME_MS = 60_000;
/** The time within which a person must enter the user code of a device. */
export const DEVICE_LIFETIME_MS = 10 * 60_000;

/** The codes, of which some are for one canvas. */
export const oauthData: CanvasData = {
  tables: { oauth_codes: { key: ["secret_hash"] } },
  people: { oauth_codes: { ids: ["user_id"], erased: "removed", exported: null } },
  cleanUps: [
    {
      what: "codes of OAuth",
      // The second use of a code, also of an expired one, revokes the token that the first use gave.
      keptMs: 60 * 60 * 1000,
      remove: (until, { db }) => db.withReserve.run`delete from oauth_codes where expires_at <= ${until}`,
    },
  ],
};

/** The maximum number of unexpired authorization codes of a person. Used codes count, too. */
const MAX_CODES = 50;
/** The maximum number of unexpired device codes of a network. Codes that a person has answered count, too. */
const MAX_DEVICES = 100;
/** The number of attempts to create a user code that is not in use. */
const USER_CODE_TRIES = 3;

/** A stored authorization code or device code, which a program exchanges for a token. */
export interface StoredCode {
  secret_hash: string;
  /** The redirect URI of an authorization code and the hash of its PKCE verifier; null for a device code. */
  redirect_uri: string | null;
  challenge: string | null;
  /** The hash of the user code, and the IP address, of a device; null for an authorization code. */
  user_code: string | null;
  address: string | null;
  /** When the device last asked for its token, in epoch milliseconds. */
  polled_at: number | null;
  host: string;
  scope: TokenScope;
  canvas_id: string | null;
  /** The person who has allowed the access, and that person's e-mail address; null until then. */
  user_id: string | null;
  email: string | null;
  denied: number;
  /** The token for which the code was exchanged; null until then. */
  token_id: string | null;
  expires_at: number;
}

/** Stores an authorization code of a person, and returns it. Returns null if the person has too many. Throws 401 if their credential has ended. */
export async function addCode(
  caller: Caller<User>,
  { redirectUri, challenge, asked }: { redirectUri: string; challenge: string; asked: AskedAccess },
  env: Env,
): Promise<string | null> {
  const { id } = caller.user;
  const { clock } = env;
  const code = newToken();
  const insert = sql`
    insert into oauth_codes (secret_hash, redirect_uri, challenge, host, scope, canvas_id, user_id, expires_at)
    select cast(${tokenHash(code)} as text), cast(${redirectUri} as text), cast(${challenge} as text),
      cast(${asked.host} as text), cast(${asked.scope} as text), cast(${asked.canvasId} as text),
      cast(${id} as text), cast(${clock() + CODE_LIFETIME_MS} as bigint)
    where (select count(*) from oauth_codes where user_id = ${id} and user_code is null
      and expires_at > ${clock()}) < ${MAX_CODES}`;
  return (await storeFor(caller, insert, env)) ? code : null;
}

/** Stores the request of a device, and returns its codes. Returns null if too many devices of the network wait. */
export async function addDevice(
  asked: AskedAccess,
  address: string,
  env: Env,
): Promise<{ deviceCode: string; userCode: string } | null> {
  const { db, clock } = env;
  const deviceCode = newToken();
  const network = networkOf(address);
  for (let tries = 0; tries < USER_CODE_TRIES; tries++) {
    const userCode = newUserCode();
    const stored = await db.withReserve.run`
      insert into oauth_codes (secret_hash, user_code, address, network, host, scope, canvas_id, expires_at)
      select cast(${tokenHash(deviceCode)} as text), cast(${userCodeHash(userCode, env)} as text), cast(${address} as text),
        cast(${network} as text), cast(${asked.host} as text), cast(${asked.scope} as text), cast(${asked.canvasId} as text),
        cast(${clock() + DEVICE_LIFETIME_MS} as bigint)
      where (select count(*) from oauth_codes where network = ${network} and expires_at > ${clock()}) < ${MAX_DEVICES}
      on conflict do nothing`;
    if (stored === 1) return { deviceCode, userCode };
  }
  return null;
}

/** Finds an authorization code or a device code in any state. */
export async function findCode(code: string, { db }: Env): Promise<StoredCode | undefined> {
  if (!isToken(code)) return undefined;
  return db.get<StoredCode>`
    select oauth_codes.*, users.email from oauth_codes left join users on users.id = user_id
    where secret_hash = ${tokenHash(code)}`;
}

/** Finds the request of a device that waits for an answer, by its user code. */
export const findWaitingDevice = (userCode: string, env: Env): Promise<StoredCode | undefined> =>
  env.db.get<StoredCode>`
    select oauth_codes.*, null as email from oauth_codes
    where user_code = ${userCodeHash(userCode, env)} and user_id is null and denied = 0 and expires_at > ${env.clock()}`;

/**
 * Stores the answer of a person to the request of a device. Returns false if the request no longer waits for one. Throws 401 if the credential of
 * the person has ended.
 */
export async function answerDevice(
  userCode: string,
  caller: Caller<User>,
  answer: "allow" | "deny",
  env: Env,
): Promise<boolean> {
  const denied = answer === "deny" ? 1 : 0;
  const update = sql`
    update oauth_codes set user_id = ${caller.user.id}, denied = ${denied}
    where user_code = ${userCodeHash(userCode, env)} and user_id is null and denied = 0 and expires_at > ${env.clock()}`;
  return storeFor(caller, update, env);
}

/** Records that a device has asked for its token. Returns when, by the clock of the database: another node may have recorded the last time. */
async function recordPoll({ secret_hash }: StoredCode, { db }: Env): Promise<number> {
  const [row] = await db.withReserve.returning<{ polled_at: number }>`
    update oauth_codes set polled_at = (select now from database_clock) where secret_hash = ${secret_hash} returning polled_at`;
  return Number(row?.polled_at);
}

/** The interval at which a device may ask for its token, in milliseconds. */
export const POLL_INTERVAL_MS = 5_000;
/** How much sooner than the interval a request may arrive, in milliseconds, because network delays vary. */
const JITTER_MS = 1_000;

/** Throws the error for a device code whose request waits for an answer, was denied or has expired (RFC 8628, section 3.5). */
export async function requireAnswer(stored: StoredCode, env: Env): Promise<void> {
  const { expires_at, denied, user_id, polled_at } = stored;
  if (denied === 1) refuseOAuth("access_denied", "The person has not allowed it.");
  if (expires_at <= env.clock()) refuseOAuth("expired_token", "The code has expired.");
  if (user_id !== null) return;
  const now = await recordPoll(stored, env);
  if (polled_at !== null && now - Number(polled_at) < POLL_INTERVAL_MS - JITTER_MS)
    refuseOAuth("slow_down", "Ask less often.");
  refuseOAuth("authorization_pending", "The person has not answered yet.");
}
