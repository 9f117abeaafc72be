import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";
import { type Config, sessionSecrets } from "../config/config.ts";
import type { Jwks } from "./jwks.ts";
import { Passwords } from "./passwords.ts";

/** Returns an id of a key, which does not reveal it. */
const idOf = (key: string | Buffer) =>
  createHash("sha256").update("key id").update(key).digest("base64url").slice(0, 8);

/**
 * Signs and verifies values that clients store, such as cookies. Signs with the first secret, and accepts signatures by any of the secrets.
 */
export class Signer {
  readonly #secrets: [string, ...string[]];

  constructor(secrets: string[]) {
    const [first, ...others] = secrets;
    if (first === undefined) throw new RangeError("A signer needs a secret");
    this.#secrets = [first, ...others];
  }

  /** The ids of the secrets, that of the one that signs first. */
  get keyIds(): string[] {
    return this.#secrets.map(idOf);
  }

  /** Returns the signature of the parts in base64url. `verifies` accepts the signature only with the same `purpose`, such as `gate`. */
  sign(purpose: string, ...parts: string[]): string {
    return mac(this.#secrets[0], purpose, parts);
  }

  /** Whether a text is a signature of the parts, for this purpose, by one of the secrets. */
  verifies(signature: string, purpose: string, ...parts: string[]): boolean {
    // Compares the base64url texts instead of the decoded bytes, because several such texts decode to the same bytes.
    const given = Buffer.from(signature);
    return this.#secrets.some((secret) => {
      const expected = Buffer.from(mac(secret, purpose, parts));
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
  }
}

/** Computes the HMAC. The parts are serialized as JSON, so that different lists of parts never give the same text. */
const mac = (secret: string, purpose: string, parts: string[]) =>
  createHmac("sha256", secret)
    .update(JSON.stringify([purpose, ...parts]))
    .digest("base64url");

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

interface Key {
  /** Identifies the key in sealed texts without revealing it. */
  id: string;
  bytes: Buffer;
}

/**
 * Encrypts texts that are stored, with AES-256-GCM. Seals with the first key, and opens texts that any of the keys has sealed. A sealed
 * text is bound to a context, such as the row that it belongs to: it cannot be opened in another one.
 */
export class Sealer {
  readonly #keys: Key[];

  constructor(keys: Buffer[]) {
    this.#keys = keys.map((bytes) => ({ id: idOf(bytes), bytes }));
  }

  /** The ids of the keys, that of the one that encrypts first. */
  get keyIds(): string[] {
    return this.#keys.map(({ id }) => id);
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

/** What signs, encrypts and verifies. */
export interface Secrets {
  signer: Signer;
  /** Encrypts the protected headers of Connections. Has no key if SERVICE_ENCRYPTION_KEY is not set. */
  sealer: Sealer;
  passwords: Passwords;
  /** The public keys that verify the tokens of the sign-in proxy. Null if SERVICE_PROXY_JWT_JWKS_URL is not set. */
  proxyKeys: Jwks | null;
}

/** Reads or creates the secrets that the settings name. Loads the module for the keys of a sign-in proxy only if there is one. */
export async function openSecrets(
  config: Config,
  log: ConstructorParameters<typeof Jwks>[1],
): Promise<Secrets> {
  const { encryptionKeys, proxyJwksUrl } = config;
  return {
    signer: new Signer(await sessionSecrets(config)),
    sealer: new Sealer(encryptionKeys),
    passwords: new Passwords(2),
    proxyKeys: proxyJwksUrl === null ? null : new (await import("./jwks.ts")).Jwks(proxyJwksUrl, log),
  };
}
