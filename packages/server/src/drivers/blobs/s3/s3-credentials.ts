import type { S3Keys } from "../../../config/s3-settings.ts";
import { SetupError } from "../../../config/setting-types.ts";
import { Unavailable } from "../../db/db.ts";

/** Keys that expire, or do not. */
export interface ExpiringKeys extends S3Keys {
  expiration?: Date | undefined;
}

/** Finds keys: in a role of the machine or container, a web identity, or a profile. */
export type Provider = () => Promise<ExpiringKeys>;

/** Returns the keys for the next request. Does not wait while known ones are good. */
export type KeySource = () => S3Keys | Promise<S3Keys>;

/** Thrown if no provider finds keys, and the last ones have expired. */
export class NoCredentials extends Unavailable {}

/** Keys are replaced as soon as they expire within this time, in milliseconds. Until then, the old ones go on. */
const EARLY_MS = 5 * 60_000;
/** The time between two attempts to replace keys that are still good, in milliseconds. */
const RETRY_MS = 10_000;
/** Keys are not used any more if they expire within this time, in milliseconds. */
const LAST_MS = 30_000;

/** Returns a source of the keys of a provider, which replaces them before they expire. */
export function renewed(provide: Provider, clock: () => number = Date.now): KeySource {
  let keys: ExpiringKeys | null = null;
  let renewing: Promise<ExpiringKeys> | null = null;
  let triedAt = Number.NEGATIVE_INFINITY;
  const leftMs = () =>
    keys === null ? 0 : (keys.expiration?.getTime() ?? Number.POSITIVE_INFINITY) - clock();
  const renew = (): Promise<ExpiringKeys> => {
    triedAt = clock();
    renewing ??= provide()
      .then((found) => {
        keys = found;
        return found;
      })
      .catch((cause) => {
        throw new NoCredentials("no credentials for the blobs", { cause });
      })
      .finally(() => {
        renewing = null;
      });
    return renewing;
  };
  return () => {
    const left = leftMs();
    if (keys === null || left <= LAST_MS) return renew();
    // A failure is tried again, and is an error only when the old keys have expired.
    if (left <= EARLY_MS && Math.abs(clock() - triedAt) >= RETRY_MS) renew().catch(() => {});
    return keys;
  };
}

const PACKAGE = "@aws-sdk/credential-providers";

/**
 * Opens the credentials providers of AWS. Loads their package, which is not installed by default, because only services without a static key
 * need it. @throws SetupError if it is not installed.
 */
export async function providersOfAws(name = PACKAGE): Promise<Provider> {
  const loaded = await import(name).catch((cause) => {
    if (cause.code !== "ERR_MODULE_NOT_FOUND") throw cause;
    throw new SetupError(
      "SERVICE_BLOBS_URL needs a key: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. To use a role, a web identity or a profile instead, " +
        `install the package that reads them: npm install ${PACKAGE}`,
    );
  });
  return loaded.fromNodeProviderChain();
}
