import { stat } from "node:fs/promises";
import { LIMITS } from "@easel/protocol/limits";
import { type ZodType, z } from "zod";
import { readAll } from "../../async/chunks.ts";
import { access, metadata, password, tags, title } from "../../canvases/publishing/canvas-schemas.ts";
import { passwordHashOf } from "../../canvases/publishing/sharing-settings.ts";
import { withUpload } from "../../canvases/publishing/upload.ts";
import type { Env } from "../../env.ts";
import { parseJson } from "../../http/body.ts";
import { moment } from "../../http/field-schemas.ts";
import { type Part, partsOf } from "../../http/multipart.ts";
import { refuse } from "../../http/refusal.ts";
import { validate } from "../../http/validate.ts";
import type { Body, ByteSource } from "../../operations/operation-body.ts";
import { bytes } from "../description.ts";
import type { RuntimeCaller } from "../primitive.ts";

/** The general access that a page requests for a canvas. `password` is a public link with a password. */
const rung = z.union([access, z.literal("password")]);

/** The schema of the form part `metadata` in a request that creates a canvas. */
export const NewCanvasFields = z.strictObject({
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
export const CanvasUpdateFields = z.strictObject({
  title: title.optional(),
  tags: tags.optional(),
  access: rung.optional(),
  password: password.nullish(),
  expiresAt: moment.nullish(),
  metadata: metadata.optional(),
  expectedUpdatedAt: moment.optional(),
});

/** The maximum size of a multipart form in bytes, without its bundle. */
const MAX_OVERHEAD = LIMITS.managementBodyBytes.value + 64 * 1024;

/** The subject of error messages about the metadata. */
const METADATA = "The part `metadata`";

const bundle = bytes.meta({
  contentMediaType: "application/zip",
  description: "The files of the canvas as a zip.",
});

/**
 * The parts of a multipart form: the JSON text of `metadata`, and the path and size of the temporary file with the bundle, if there is one.
 */
interface Form {
  metadata: Buffer;
  bundle: { file: string; bytes: number } | undefined;
}

const reject = (message: string): never => refuse("INVALID_BODY", { message });

const bytesOf = ({ body }: Part): Promise<Buffer> =>
  readAll(body, LIMITS.managementBodyBytes.value, () => reject("The part `metadata` is too large."));

/** Streams the bytes of a bundle, and adds their number to `bundle.bytes`. */
async function* counted({ body }: Part, bundle: { bytes: number }): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    bundle.bytes += chunk.length;
    yield chunk;
  }
}

/** The metadata and the bundle as a caller in the same process gives them. */
export interface GivenForm {
  metadata: unknown;
  bundle?: AsyncIterable<Uint8Array>;
}

/** What the body of a request to publish or update a canvas contains. */
interface Received<Fields> {
  /** The fields of the metadata, without the password. */
  fields: Omit<Fields, "password">;
  /** The hash of the password. Null removes the password, and undefined keeps it. */
  passwordHash: string | null | undefined;
  /** The path of the temporary file with the bundle, if there is one. */
  file: string | undefined;
}

/**
 * The body of a request to publish or update a canvas: a multipart form with the parts `metadata` and `bundle`, in either order
 * (specification 4.8). The temporary file with the bundle is deleted when the operation has run. Throws 400 `INVALID_BODY` if the body is
 * not a form, if a part is unknown, repeated or missing, or if the metadata does not match the schema, and 413 if the bundle is larger than
 * 50 MiB. A limited number of forms of a person are read at once; further ones wait unread.
 */
export const canvasBody = <Fields extends { password?: string | null | undefined }>(
  schema: ZodType<Fields>,
  needs: { bundle: boolean },
): Body<Received<Fields>, RuntimeCaller> => ({
  type: "multipart/form-data",
  schema: z.strictObject({ metadata: schema, bundle: needs.bundle ? bundle : bundle.optional() }),
  parts: { metadata: "application/json", bundle: "application/zip" },
  slow: true,
  receive: (given, { caller, signal }, env, use) => {
    const withFields = async (metadata: unknown, uploaded: Form["bundle"]) => {
      const { password, ...fields } = validate(metadata, schema, METADATA);
      if (uploaded?.bytes === 0) reject("The part `bundle` is empty.");
      const passwordHash = await passwordHashOf(password, caller.user, env);
      return use(() => ({ fields, passwordHash, file: uploaded?.file }));
    };
    return env.uploads.run(
      caller.user.id,
      () =>
        "value" in given
          ? receiveGiven(given.value as GivenForm, needs, env, withFields)
          : readForm(given, caller, needs, env, (form) =>
              withFields(parseJson(form.metadata, METADATA), form.bundle),
            ),
      signal(),
    );
  },
});

async function receiveGiven<Result>(
  { metadata, bundle: content }: GivenForm,
  needs: { bundle: boolean },
  env: Env,
  use: (metadata: unknown, bundle: Form["bundle"]) => Promise<Result>,
): Promise<Result> {
  if (content !== undefined)
    return withUpload(content, 0, env, async (file) =>
      use(metadata, { file, bytes: (await stat(file)).size }),
    );
  return needs.bundle ? reject("The part `bundle` is missing.") : use(metadata, undefined);
}

async function readForm<Result>(
  source: ByteSource,
  { user }: RuntimeCaller,
  needs: { bundle: boolean },
  env: Env,
  use: (form: Form) => Promise<Result>,
): Promise<Result> {
  const parts = partsOf(source);
  const declared = Math.max(0, source.size - MAX_OVERHEAD);
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
