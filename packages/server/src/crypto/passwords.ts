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

/** Hashes passwords with Argon2id. Limits the number of concurrent hashes, because each needs much memory. */
export class Passwords {
  readonly #pool: TaskPool;
  readonly #cost;
  readonly #argon2id;

  constructor(concurrency: number, cost = COST, argon2id = native) {
    this.#pool = new TaskPool(concurrency);
    this.#cost = cost;
    this.#argon2id = argon2id;
  }

  /** Returns the hash of a password as a PHC string. */
  async hash(password: string): Promise<string> {
    const salt = randomBytes(16);
    const tag = await this.#tag(password, salt);
    const { memory, passes, parallelism } = this.#cost;
    return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(tag)}`;
  }

  /** Whether a password matches a hash that `hash` returned. */
  async verify(password: string, hash: string): Promise<boolean> {
    const [, , , , salt = "", tag = ""] = hash.split("$");
    const expected = Buffer.from(tag, "base64");
    const actual = await this.#tag(password, Buffer.from(salt, "base64"));
    return expected.length === actual.length && timingSafeEqual(expected, actual);
  }

  async #tag(password: string, nonce: Buffer): Promise<Buffer> {
    // Normalizes the password, because Unicode can encode the same letter in several ways.
    const message = password.normalize("NFC");
    const options = { ...this.#cost, message, nonce, tagLength: TAG_LENGTH };
    return Buffer.from(await this.#pool.run(() => this.#argon2id(options)));
  }
}

const base64 = (bytes: Buffer) => bytes.toString("base64").replace(/=+$/, "");
