import { randomUUID } from "node:crypto";
import type { S3Settings } from "../../../config/s3-settings.ts";
import { SetupError } from "../../../config/setting-types.ts";
import { Unavailable } from "../../db/db.ts";
import { NoCredentials } from "./s3-credentials.ts";
import type { S3Objects } from "./s3-objects.ts";
import { S3Error } from "./s3-requests.ts";
import { bodyOf } from "./s3-staging.ts";

const KEYS_MISSING =
  "SERVICE_BLOBS_URL needs a key: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give this machine or container a role";
const PROBE = bodyOf(Buffer.from("Easel checks that it can read, write and remove.\n"));

/**
 * Checks that objects can be listed, written, read, copied and removed. Returns whether the server keeps an object that is written on the
 * condition that there is none (`If-None-Match: *`): some ignore the condition and overwrite. @throws SetupError that says what to change.
 */
export async function checkBucket(objects: S3Objects, settings: S3Settings): Promise<boolean> {
  const name = `probes/${randomUUID()}`;
  const copy = `${name}.copy`;
  const attempt = async <Result>(what: string, work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      const cause = error instanceof Unavailable ? error.cause : error;
      if (error instanceof NoCredentials)
        throw new SetupError(`${KEYS_MISSING} (${(cause as Error).message}).`);
      throw new SetupError(`SERVICE_BLOBS_URL: ${explain(cause, what, settings)}`);
    }
  };
  await attempt("s3:ListBucket", async () => {
    for await (const _ of objects.list("probes/")) break;
  });
  const isConditional = await attempt("s3:PutObject", async () => {
    const writeOnce = () =>
      objects.put(name, PROBE, true).catch(async (error) => {
        const isUnknown = error instanceof S3Error && error.status === 501;
        return isUnknown ? objects.put(name, PROBE) : Promise.reject(error);
      });
    await writeOnce();
    return !(await writeOnce());
  });
  await attempt("s3:GetObject", async () => (await objects.get(name))?.destroy());
  await attempt("s3:GetObject and s3:PutObject", () => objects.copy(name, copy));
  await attempt("s3:DeleteObject", async () => {
    await objects.remove(copy);
    await objects.remove(name);
  });
  // Without the right to list, AWS answers 403 for a missing object.
  await attempt("s3:ListBucket", () => objects.get(name));
  return isConditional;
}

/** Says what is wrong and what to do. `action` is what the key must be allowed. */
function explain(cause: unknown, action: string, { bucket, endpoint, region, keys }: S3Settings): string {
  if (!(cause instanceof S3Error)) {
    const { code = "", message = "" } = (cause ?? {}) as { code?: string; message?: string };
    return `${endpoint} does not answer (${message || code}). Check its \`endpoint\`, and that the server is running.`;
  }
  const key = keys === null ? "the role that the credentials provider found" : "the key in AWS_ACCESS_KEY_ID";
  const answer = `(${cause.message})`;
  if (cause.region !== undefined && cause.region !== region)
    return `the bucket \`${bucket}\` is in the region \`${cause.region}\`, not in \`${region}\`: set \`region=${cause.region}\`.`;
  switch (cause.code) {
    case "NoSuchBucket":
      return `there is no bucket \`${bucket}\` at ${endpoint}: create it, or correct its name.`;
    case "InvalidAccessKeyId":
      return `${endpoint} does not know ${key} ${answer}.`;
    case "SignatureDoesNotMatch":
      return `the signature is wrong: check AWS_SECRET_ACCESS_KEY, and the \`region\` ${answer}.`;
    case "ExpiredToken":
    case "InvalidToken":
      return `the token in AWS_SESSION_TOKEN has expired or is wrong ${answer}.`;
    case "RequestTimeTooSkewed":
      return `the clock of this machine differs from that of ${endpoint}: set it by NTP ${answer}.`;
    case "AccessDenied":
      return `access to the bucket \`${bucket}\` is denied: ${key} must be allowed ${action} ${answer}.`;
    default:
      return `the bucket \`${bucket}\` at ${endpoint} cannot be used: ${answer}.`;
  }
}
