import {
  createLocalJWKSet,
  errors,
  type JSONWebKeySet,
  type JWSHeaderParameters,
  type JWTPayload,
} from "jose";
import type { Logger } from "pino";
import { refuse } from "../http/refusal.ts";

/** Keys of this age are fetched anew before they decide anything. */
const FRESH_MS = 10 * 60 * 1000;
/** Keys of up to this age go on deciding while the key server cannot be reached. */
const USABLE_MS = 60 * 60 * 1000;
/** The key server is asked no more often than this, whatever keys tokens name and whatever it answers. */
const COOLDOWN_MS = 10 * 1000;
const TIMEOUT_MS = 5 * 1000;
const MAX_BYTES = 256 * 1024;

const NO_KEYS: JSONWebKeySet = { keys: [] };

/** The public keys at an address, for verifying what someone else signs: fetched when they are needed, and again as they rotate. */
export class Jwks {
  readonly #url: string;
  readonly #log: Pick<Logger, "warn">;
  #find = createLocalJWKSet(NO_KEYS);
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #askedAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | null = null;
  #failed = false;
  /** What these very keys have verified, by hash, until when (epoch milliseconds); other keys start with an empty map. */
  verified = new Map<string, { claims: JWTPayload; until: number }>();

  constructor(url: string, log: Pick<Logger, "warn">) {
    this.#url = url;
    this.#log = log;
  }

  /** The key that a header names. @throws JOSEError when there is none, Refusal when only the key server could tell and it cannot be reached. */
  async key(header: JWSHeaderParameters, now: number): Promise<CryptoKey> {
    if (now - this.#fetchedAt >= FRESH_MS) await this.#ask(now);
    try {
      return await this.#find(header);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await this.#ask(now);
      if (this.#failed) refuse("UNAVAILABLE", { message: "The keys of the sign-in cannot be fetched." });
      return this.#find(header);
    }
  }

  async #ask(now: number): Promise<void> {
    if (this.#asking === null && now - this.#askedAt >= COOLDOWN_MS) {
      this.#askedAt = now;
      this.#asking = this.#fetch(now);
    }
    await this.#asking;
  }

  async #fetch(now: number): Promise<void> {
    try {
      this.#use(await download(this.#url));
      this.#fetchedAt = now;
      this.#failed = false;
    } catch (error) {
      this.#failed = true;
      if (now - this.#fetchedAt >= USABLE_MS) this.#use(NO_KEYS);
      this.#log.warn({ err: error }, "the keys of the sign-in cannot be fetched");
    } finally {
      this.#asking = null;
    }
  }

  #use(keys: JSONWebKeySet): void {
    this.#find = createLocalJWKSet(keys);
    this.verified = new Map();
  }
}

/** A key set as it comes over the wire: no redirects, bounded in time and size. */
async function download(url: string): Promise<JSONWebKeySet> {
  const answer = await fetch(url, {
    headers: { accept: "application/json" },
    redirect: "error",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error("The key set is too large");
    chunks.push(chunk);
  }
  if (answer.status !== 200) throw new Error(`The key server answers ${answer.status}`);
  return JSON.parse(Buffer.concat(chunks).toString("utf8"));
}
