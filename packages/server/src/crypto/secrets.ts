import { type Config, sessionSecrets } from "../config/config.ts";
import type { Jwks } from "./jwks.ts";
import { Passwords } from "./passwords.ts";
import { Sealer } from "./sealer.ts";
import { Signer } from "./signer.ts";

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
