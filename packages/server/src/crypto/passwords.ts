import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { TaskPool } from "../async/task-pool.ts";

const hashBytes = promisify(argon2);

/** The parameters that OWASP recommends for Argon2id. `memory` is in KiB. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 };
const TAG_LENGTH = 32;

/** Hashes passwords with Argon2id. Limits the number of concurrent hashes, because each needs much memory. */
export class Passwords {
  readonly #pool: TaskPool;
  readonly #cost;

  constructor(concurrency: number, cost = COST) {
    this.#pool = new TaskPool(concurrency);
    this.#cost = cost;
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

  #tag(password: string, nonce: Buffer): Promise<Buffer> {
    // Normalizes the password, because Unicode can encode the same letter in several ways.
    const message = password.normalize("NFC");
    const options = { ...this.#cost, message, nonce, tagLength: TAG_LENGTH };
    return this.#pool.run(() => hashBytes("argon2id", options));
  }
}

const base64 = (bytes: Buffer) => bytes.toString("base64").replace(/=+$/, "");
