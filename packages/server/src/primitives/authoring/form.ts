import { LIMITS } from "@easel/protocol/limits";
import { type ZodType, z } from "zod";
import { access, metadata, password, tags, title } from "../../canvases/publishing/canvas-schemas.ts";
import { withUpload } from "../../canvases/publishing/upload.ts";
import type { Env } from "../../env.ts";
import { parseJson } from "../../http/body.ts";
import { moment } from "../../http/field-schemas.ts";
import { type Part, partsOf } from "../../http/multipart.ts";
import { refuse } from "../../http/refusal.ts";
import { validate } from "../../http/validate.ts";
import type { Call } from "../primitive.ts";

/** The general access that a page requests for a canvas. `password` is a public link with a password. */
const rung = z.union([access, z.literal("password")]);

/** The schema of the form part `metadata` in a request that creates a canvas. */
export const NewShare = z.strictObject({
  title,
  slug: z.string().optional(),
  tags: tags.default([]),
  access: rung.default("private"),
  password: password.optional(),
  expiresAt: moment.optional(),
  metadata: metadata.optional(),
  orgId: z.string().optional(),
});

/** The schema of the form part `metadata` in a request that updates a canvas. A field that is left out keeps its value; null clears it. */
export const ShareUpdate = z.strictObject({
  title: title.optional(),
  tags: tags.optional(),
  access: rung.optional(),
  password: password.nullish(),
  expiresAt: moment.nullish(),
  metadata: metadata.optional(),
  expectedUpdatedAt: moment.optional(),
});

/**
 * Parses the form part `metadata` with a schema and returns its fields. Throws 400 `INVALID_BODY` with the first faults in the message, or if
 * the bundle is empty.
 */
export function parseMetadata<Fields>(
  { metadata, bundle }: { metadata: Buffer; bundle: { bytes: number } | undefined },
  schema: ZodType<Fields>,
): Fields {
  const part = "The part `metadata`";
  const data = validate(parseJson(metadata, part), schema, part);
  if (bundle?.bytes === 0) refuse("INVALID_BODY", { message: "The part `bundle` is empty." });
  return data;
}

/** The maximum size of a multipart form in bytes, without its bundle. */
const MAX_OVERHEAD = LIMITS.managementBodyBytes.value + 64 * 1024;

/**
 * The parts of a multipart form: the JSON text of `metadata`, and the path and size of the temporary file with the bundle, if there is one.
 */
export interface Form {
  metadata: Buffer;
  bundle: { file: string; bytes: number } | undefined;
}

const reject = (message: string): never => refuse("INVALID_BODY", { message });

async function bytesOf({ body }: Part): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > LIMITS.managementBodyBytes.value) reject("The part `metadata` is too large.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Streams the bytes of a bundle, and adds their number to `bundle.bytes`. */
async function* counted({ body }: Part, bundle: { bytes: number }): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    bundle.bytes += chunk.length;
    yield chunk;
  }
}

/**
 * Reads a multipart form with the parts `metadata` and `bundle`, in either order, and calls `use` with them (specification 4.8). Deletes
 * the temporary file with the bundle when `use` has finished. Throws 400 `INVALID_BODY` if the body is not a form, or if a part is unknown,
 * repeated or missing, and 413 if the bundle is larger than 50 MiB. A limited number of forms of a person are read at once; further ones
 * wait unread.
 */
export const withForm = <Result>(
  call: Call,
  needs: { bundle: boolean },
  env: Env,
  use: (form: Form) => Promise<Result>,
): Promise<Result> => env.uploads.run(call.user.id, () => readForm(call, needs, env, use), call.signal());

async function readForm<Result>(
  { request, user }: Call,
  needs: { bundle: boolean },
  env: Env,
  use: (form: Form) => Promise<Result>,
): Promise<Result> {
  const parts = partsOf(request);
  const declared = Math.max(0, Number(request.headers["content-length"] ?? 0) - MAX_OVERHEAD);
  let metadata: Buffer | undefined;
  let bundle: Form["bundle"];
  const readRest = async (): Promise<Result> => {
    for (let next = await parts.next(); !next.done; next = await parts.next()) {
      const part = next.value;
      if (part.name === "metadata" && metadata === undefined) {
        metadata = await bytesOf(part);
      } else if (part.name === "bundle" && bundle === undefined) {
        env.deploys.requireRoom(user.id);
        const upload = { bytes: 0 };
        return await withUpload(counted(part, upload), declared, env, (file) => {
          bundle = { file, bytes: upload.bytes };
          return readRest();
        });
      } else {
        const isKnown = part.name === "metadata" || part.name === "bundle";
        reject(`The part \`${part.name.slice(0, 100)}\` is ${isKnown ? "given twice" : "unknown"}.`);
      }
    }
    if (metadata === undefined) return reject("The part `metadata` is missing.");
    if (bundle === undefined && needs.bundle) reject("The part `bundle` is missing.");
    return await use({ metadata, bundle });
  };
  try {
    return await readRest();
  } finally {
    await parts.return(undefined);
  }
}
