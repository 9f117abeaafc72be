import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { TaskPool } from "../async/task-pool.ts";

const hashBytes = promisify(argon2);

/** KiB, passes, lanes: what OWASP advises for Argon2id. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 };
const TAG_LENGTH = 32;

/** Hashes passwords with Argon2id, at most so many at a time: each takes much memory for a while. */
export class Passwords {
  readonly #lanes: TaskPool;

  constructor(atOnce: number) {
    this.#lanes = new TaskPool(atOnce);
  }

  /** The hash to keep, as a PHC string. */
  async hash(password: string): Promise<string> {
    const salt = randomBytes(16);
    const tag = await this.#tag(password, salt);
    const { memory, passes, parallelism } = COST;
    return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(tag)}`;
  }

  /** Whether this is the password of a hash. */
  async verify(password: string, hash: string): Promise<boolean> {
    const [, , , , salt = "", tag = ""] = hash.split("$");
    const expected = Buffer.from(tag, "base64");
    const actual = await this.#tag(password, Buffer.from(salt, "base64"));
    return expected.length === actual.length && timingSafeEqual(expected, actual);
  }

  #tag(password: string, nonce: Buffer): Promise<Buffer> {
    // The same letters may be written in several ways.
    const message = password.normalize("NFC");
    return this.#lanes.run(() => hashBytes("argon2id", { ...COST, message, nonce, tagLength: TAG_LENGTH }));
  }
}

const base64 = (bytes: Buffer) => bytes.toString("base64").replace(/=+$/, "");
