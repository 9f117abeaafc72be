import { createHmac, timingSafeEqual } from "node:crypto";

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
