import type { S3Settings } from "../../../config/s3-settings.ts";
import { makePrivateDirectory } from "../../../disk/private-files.ts";
import type { Blobs } from "../blobs.ts";
import { type Exclusively, s3Blobs } from "./s3-blobs.ts";
import { S3Bucket } from "./s3-bucket.ts";
import { checkBucket } from "./s3-check.ts";
import { type Provider, providersOfAws, renewed } from "./s3-credentials.ts";
import { S3Requests, type S3Times } from "./s3-requests.ts";
import type { Staging } from "./s3-staging.ts";

export interface S3Options {
  settings: S3Settings;
  staging: Staging;
  /** A lock of the database, for servers that know no conditional writes. */
  exclusively: Exclusively;
  /** Finds keys, if the settings have none. By default, the providers of AWS. */
  provider?: () => Promise<Provider>;
  times?: S3Times;
}

/**
 * Opens a blob store in a bucket. Blobs are stored as `blobs/{key}`, markers as `markers/{name}`, blobs that are being removed below `trash/`.
 * @throws SetupError if the bucket cannot be used.
 */
export async function s3({
  settings,
  staging,
  exclusively,
  provider = providersOfAws,
  times,
}: S3Options): Promise<Blobs> {
  await makePrivateDirectory(staging.directory, /./);
  const { keys, prefix } = settings;
  const requests = new S3Requests(settings, keys === null ? renewed(await provider()) : () => keys, times);
  const objects = new S3Bucket(requests, prefix);
  try {
    const isConditional = await checkBucket(objects, settings);
    return s3Blobs(objects, staging, isConditional ? null : exclusively, () => requests.close());
  } catch (error) {
    await requests.close();
    throw error;
  }
}
