import { createHmac, timingSafeEqual } from "node:crypto";

/** Signs what leaves the service and must come back as it was. Of several secrets the first signs and all verify. */
export class Signer {
  readonly #secrets: [string, ...string[]];

  constructor(secrets: string[]) {
    const [first, ...others] = secrets;
    if (first === undefined) throw new RangeError("A signer needs a secret");
    this.#secrets = [first, ...others];
  }

  /** The signature of these parts, in base64url. `purpose` keeps signatures of one kind from serving as another. */
  sign(purpose: string, ...parts: string[]): string {
    return mac(this.#secrets[0], purpose, parts);
  }

  /** Whether a text is a signature of these parts by one of the secrets. */
  verifies(signature: string, purpose: string, ...parts: string[]): boolean {
    // As text: several texts stand for the same bytes.
    const given = Buffer.from(signature);
    return this.#secrets.some((secret) => {
      const expected = Buffer.from(mac(secret, purpose, parts));
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
  }
}

/** JSON keeps parts apart, whatever they hold. */
const mac = (secret: string, purpose: string, parts: string[]) =>
  createHmac("sha256", secret)
    .update(JSON.stringify([purpose, ...parts]))
    .digest("base64url");
