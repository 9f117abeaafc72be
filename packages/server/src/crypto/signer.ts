import { createHmac, timingSafeEqual } from "node:crypto";

/** Signs and verifies values that clients store, such as cookies. The first secret signs; all of them verify. */
export class Signer {
  readonly #secrets: [string, ...string[]];

  constructor(secrets: string[]) {
    const [first, ...others] = secrets;
    if (first === undefined) throw new RangeError("A signer needs a secret");
    this.#secrets = [first, ...others];
  }

  /** Returns the signature of the parts in base64url. A signature is valid for its purpose only. */
  sign(purpose: string, ...parts: string[]): string {
    return mac(this.#secrets[0], purpose, parts);
  }

  /** Whether a text is a signature of the parts by one of the secrets. */
  verifies(signature: string, purpose: string, ...parts: string[]): boolean {
    // Compared as text, since several base64url texts decode to the same bytes.
    const given = Buffer.from(signature);
    return this.#secrets.some((secret) => {
      const expected = Buffer.from(mac(secret, purpose, parts));
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
  }
}

/** JSON delimits the parts unambiguously. */
const mac = (secret: string, purpose: string, parts: string[]) =>
  createHmac("sha256", secret)
    .update(JSON.stringify([purpose, ...parts]))
    .digest("base64url");
