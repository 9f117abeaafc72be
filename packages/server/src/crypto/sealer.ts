import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

interface Key {
  /** Identifies the key in sealed texts without revealing it. */
  id: string;
  bytes: Buffer;
}

const idOf = (key: Buffer) =>
  createHash("sha256").update("key id").update(key).digest("base64url").slice(0, 8);

/**
 * Encrypts texts that are stored, with AES-256-GCM. Seals with the first key, and opens texts that any of the keys has sealed. A sealed
 * text is bound to a context, such as the row that it belongs to: it cannot be opened in another one.
 */
export class Sealer {
  readonly #keys: Key[];

  constructor(keys: Buffer[]) {
    this.#keys = keys.map((bytes) => ({ id: idOf(bytes), bytes }));
  }

  /** Returns the sealed text, or null if there is no key. */
  seal(text: string, context: string): string | null {
    const [key] = this.#keys;
    if (key === undefined) return null;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, key.bytes, nonce).setAAD(Buffer.from(context));
    const encrypted = Buffer.concat([
      nonce,
      cipher.update(text, "utf8"),
      cipher.final(),
      cipher.getAuthTag(),
    ]);
    return `${key.id}.${encrypted.toString("base64url")}`;
  }

  /** Returns the text, or null if its key is missing, its context is another one, or it was changed. */
  open(sealed: string, context: string): string | null {
    const [id, encoded = ""] = sealed.split(".");
    const key = this.#keys.find((each) => each.id === id);
    const bytes = Buffer.from(encoded, "base64url");
    if (key === undefined || bytes.length < NONCE_BYTES + TAG_BYTES) return null;
    const decipher = createDecipheriv(ALGORITHM, key.bytes, bytes.subarray(0, NONCE_BYTES))
      .setAAD(Buffer.from(context))
      .setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      return (
        decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, "utf8") + decipher.final("utf8")
      );
    } catch {
      return null;
    }
  }

  /** Whether a sealed text was sealed with a key other than the first one, so that it should be sealed again. */
  isOutdated(sealed: string): boolean {
    return this.#keys.length > 0 && !sealed.startsWith(`${this.#keys[0]?.id}.`);
  }
}
