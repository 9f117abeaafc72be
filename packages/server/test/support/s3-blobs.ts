import path from "node:path";
import { readS3, type S3Settings } from "../../src/config/s3-settings.ts";
import type { Blobs } from "../../src/drivers/blobs/blobs.ts";
import { type S3Options, s3 } from "../../src/drivers/blobs/s3/s3.ts";
import { S3_TIMES } from "../../src/drivers/blobs/s3/s3-requests.ts";
import { S3_VARIABLES } from "./s3-server.ts";
import { atEnd, type Scope, temporaryDirectory } from "./service.ts";

/** Returns the settings that `SERVICE_BLOBS_URL` and the variables of AWS hold. */
export function settingsOf(url: string, variables: Record<string, string> = S3_VARIABLES): S3Settings {
  const mistakes: string[] = [];
  const settings = readS3(url, variables, mistakes);
  if (settings === null) throw new Error(mistakes.join("\n"));
  return settings;
}

/** Runs calls one after the other, as the lock of a database does. */
export function oneByOne(): S3Options["exclusively"] {
  let last = Promise.resolve();
  return (work) => {
    const next = last.then(work);
    last = next.catch(() => {});
    return next;
  };
}

/** Opens the blobs of a bucket, with short waits before a request is sent again. They are closed when the scope ends. */
export async function openS3(
  scope: Scope,
  url: string,
  { times, ...options }: Partial<S3Options> = {},
): Promise<{ blobs: Blobs; staging: string }> {
  const directory = path.join(await temporaryDirectory(scope), "staging");
  const blobs = await s3({
    settings: settingsOf(url),
    staging: { directory, reserve: 0 },
    exclusively: oneByOne(),
    ...options,
    times: { ...S3_TIMES, retries: [1, 2, 3], ...times },
  });
  atEnd(scope, () => blobs.close());
  return { blobs, staging: directory };
}
