import type { Env } from "../../env.ts";
import { type Part, partsOf } from "../../http/multipart.ts";
import { refuse } from "../../http/refusal.ts";
import { announceChange } from "../change-feed.ts";
import type { Call } from "../primitive.ts";
import { storedName } from "./file-name.ts";
import { mediaTypeOf } from "./media-type.ts";
import { full, ownerFull, tooLarge, within } from "./room.ts";
import { FileStore, type Room, type StoredFile } from "./store.ts";
import { type Fields, targetOf } from "./target.ts";

const FIELDS = ["scope", "group", "collection", "recordId"] as const;
/** The maximum size of a form field in bytes. All valid values are shorter. */
const MAX_FIELD_BYTES = 1024;
/** The maximum size of a request body in bytes, without its file. */
const MAX_OVERHEAD = 64 * 1024;

const reject = (message: string): never => refuse("INVALID_BODY", { message });

/**
 * Streams the bytes of an uploaded file. Throws as soon as they exceed a limit, or after the last byte if another part follows the file.
 * The file is not stored if this throws.
 */
async function* bytesOf(file: Part, parts: AsyncIterator<Part>, room: Room): AsyncGenerator<Uint8Array> {
  yield* within(room, file.body);
  const { value: next } = await parts.next();
  if (next) reject(`\`${next.name.slice(0, 100)}\` follows the file, which must be the last part.`);
}

async function readField({ name, body }: Part, fields: Fields): Promise<void> {
  const field =
    FIELDS.find((each) => each === name) ?? reject(`There is no field \`${name.slice(0, 100)}\`.`);
  if (fields[field] !== undefined) reject(`\`${field}\` is given twice.`);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_FIELD_BYTES) reject(`\`${field}\` is too long.`);
    chunks.push(chunk);
  }
  fields[field] = Buffer.concat(chunks).toString("utf8");
}

/**
 * Stores the bytes of an uploaded file as a blob, and returns its key and size. Throws if the file exceeds a limit or is not the last part
 * of the form.
 */
async function storeBlob(file: Part, parts: AsyncIterator<Part>, { request, canvas }: Call, env: Env) {
  const room = await new FileStore(env, canvas.id).room();
  if (Number(request.headers["content-length"] ?? 0) > room.file + MAX_OVERHEAD) tooLarge(room.file);
  return await env.blobs.put(bytesOf(file, parts, room));
}

/**
 * Reads an upload from a multipart form and stores it (specification 4.4). A limited number of uploads of a person are read at once;
 * further ones wait unread. The form fields must come before the file, so that rights are
 * checked before the first byte of the file is read. Rights are checked again after the last byte, because an upload can take minutes.
 */
export const receiveUpload = (call: Call, env: Env): Promise<StoredFile> =>
  env.uploads.run(call.user.id, () => receive(call, env), call.signal());

async function receive(call: Call, env: Env): Promise<StoredFile> {
  const fields: Fields = {};
  let stored: Pick<StoredFile, "name" | "mime" | "size" | "blob_key"> | undefined;
  const parts = partsOf(call.request);
  for await (const part of parts) {
    if (part.name !== "file") {
      await readField(part, fields);
      continue;
    }
    await targetOf(call, fields, env);
    const { key, size } = await storeBlob(part, parts, call, env);
    stored = { name: storedName(part.filename), mime: mediaTypeOf(part.contentType), size, blob_key: key };
  }
  if (stored === undefined) {
    await targetOf(call, fields, env);
    return reject("The part `file` is missing.");
  }

  const now = await call.readmit();
  const { scope, record_id, owner_id } = await targetOf(now, fields, env);
  const { canvas, user } = now;
  const files = new FileStore(env, canvas.id);
  const file = await files.create({
    ...{ scope, record_id, owner_id, uploaded_by: user.id, created_at: env.clock() },
    ...stored,
  });
  if (file === "full") return full();
  if (file === "owner_full") return ownerFull(await files.room());
  if (file === "gone") return refuse("NOT_FOUND");
  announceChange(canvas.id, { resource: "files", scope, id: file.id, op: "set", of: owner_id }, env);
  return file;
}
