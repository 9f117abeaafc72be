import crypto, { randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { TaskPool } from "../async/task-pool.ts";

/** Computes an Argon2id hash. `memory` is in KiB. */
export type Argon2id = (options: {
  message: string;
  nonce: Buffer;
  memory: number;
  passes: number;
  parallelism: number;
  tagLength: number;
}) => Promise<Uint8Array>;

/** Node's implementation, available since Node 24.7. */
const native: Argon2id = (options) => promisify(crypto.argon2)("argon2id", options);

/** The parameters that OWASP recommends for Argon2id. `memory` is in KiB. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 };
const TAG_LENGTH = 32;

/** How many passwords of one person wait to be hashed. */
const WAITING_EACH = 100;

/**
 * Hashes passwords with Argon2id. Limits the number of concurrent hashes, because each needs much memory. One hash of each person is
 * computed at a time. `person` is the id of a user, or the network of an anonymous caller. Throws 503 `UNAVAILABLE` if too many passwords
 * of the person wait.
 */
export class Passwords {
  readonly #pool: TaskPool;
  readonly #cost;
  readonly #argon2id;

  constructor(concurrency: number, cost = COST, argon2id = native) {
    this.#pool = new TaskPool({ running: concurrency, runningEach: 1, waitingEach: WAITING_EACH });
    this.#cost = cost;
    this.#argon2id = argon2id;
  }

  /** Returns the hash of a password as a PHC string. */
  async hash(password: string, person: string): Promise<string> {
    const salt = randomBytes(16);
    const tag = await this.#tag(password, salt, person);
    const { memory, passes, parallelism } = this.#cost;
    return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(tag)}`;
  }

  /** Whether a password matches a hash that `hash` returned. */
  async verify(password: string, hash: string, person: string): Promise<boolean> {
    const [, , , , salt = "", tag = ""] = hash.split("$");
    const expected = Buffer.from(tag, "base64");
    const actual = await this.#tag(password, Buffer.from(salt, "base64"), person);
    return expected.length === actual.length && timingSafeEqual(expected, actual);
  }

  async #tag(password: string, nonce: Buffer, person: string): Promise<Buffer> {
    // Normalizes the password, because Unicode can encode the same letter in several ways.
    const message = password.normalize("NFC");
    const options = { ...this.#cost, message, nonce, tagLength: TAG_LENGTH };
    return Buffer.from(await this.#pool.run(person, () => this.#argon2id(options)));
  }
}

const base64 = (bytes: Buffer) => bytes.toString("base64").replace(/={1,2}$/, "");
