import {
  createLocalJWKSet,
  errors,
  type JSONWebKeySet,
  type JWSHeaderParameters,
  type JWTPayload,
} from "jose";
import type { Logger } from "pino";
import { readAll } from "../async/chunks.ts";
import { refuse } from "../http/refusal.ts";

/** The age at which cached keys must be fetched again before their next use. */
const FRESH_MS = 10 * 60 * 1000;
/** The age up to which cached keys are used while the key server cannot be reached. */
const USABLE_MS = 60 * 60 * 1000;
/** The shortest interval between two requests to the key server. */
const COOLDOWN_MS = 10 * 1000;
const TIMEOUT_MS = 5 * 1000;
const MAX_BYTES = 256 * 1024;

const NO_KEYS: JSONWebKeySet = { keys: [] };

/**
 * Fetches and caches the public keys at a URL, which verify the tokens that another party signs. Fetches the keys again when they are old
 * or a token names an unknown key (decision 009).
 */
export class Jwks {
  readonly #url: string;
  readonly #log: Pick<Logger, "warn">;
  #find = createLocalJWKSet(NO_KEYS);
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #requestedAt = Number.NEGATIVE_INFINITY;
  #fetching: Promise<void> | null = null;
  #failed = false;
  /**
   * The claims of verified tokens, keyed by the hash of the token. Claims are valid until `until`, in epoch milliseconds. The cache is
   * emptied whenever the keys are replaced.
   */
  verified = new Map<string, { claims: JWTPayload; until: number }>();

  constructor(url: string, log: Pick<Logger, "warn">) {
    this.#url = url;
    this.#log = log;
  }

  /**
   * Returns the key that the header of a token names. @throws JOSEError if there is no such key, Refusal if the key server cannot be
   * reached.
   */
  async key(header: JWSHeaderParameters, now: number): Promise<CryptoKey> {
    if (now - this.#fetchedAt >= FRESH_MS) await this.#refresh(now);
    try {
      return await this.#find(header);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await this.#refresh(now);
      if (this.#failed) refuse("UNAVAILABLE", { message: "The keys of the sign-in cannot be fetched." });
      return this.#find(header);
    }
  }

  async #refresh(now: number): Promise<void> {
    if (this.#fetching === null && now - this.#requestedAt >= COOLDOWN_MS) {
      this.#requestedAt = now;
      this.#fetching = this.#fetch(now);
    }
    await this.#fetching;
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
      this.#fetching = null;
    }
  }

  #use(keys: JSONWebKeySet): void {
    this.#find = createLocalJWKSet(keys);
    this.verified = new Map();
  }
}

/** Downloads a key set. Follows no redirects, and throws if the response takes too long or is too large. */
async function download(url: string): Promise<JSONWebKeySet> {
  const response = await fetch(url, {
    headers: { accept: "application/json" },
    redirect: "error",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const bytes = await readAll(response.body ?? (async function* () {})(), MAX_BYTES, () => {
    throw new Error("The key set is too large");
  });
  if (response.status !== 200) throw new Error(`The key server responded with ${response.status}`);
  return JSON.parse(bytes.toString("utf8"));
}
