import type { Env } from "../../env.ts";
import { type Part, partsOf } from "../../http/multipart.ts";
import { refuse } from "../../http/refusal.ts";
import { announceChange } from "../change-feed.ts";
import type { Call } from "../primitive.ts";
import { storedName } from "./file-name.ts";
import { mediaTypeOf } from "./media-type.ts";
import { full, ownerFull, requireRoom, within } from "./room.ts";
import { FileStore, type StoredFile } from "./store.ts";
import { type Fields, namesTarget, targetOf } from "./target.ts";

const FIELDS = ["scope", "group", "collection", "recordId"] as const;
/** The maximum size of a form field in bytes. All valid values are shorter. */
const MAX_FIELD_BYTES = 1024;
/** The maximum size of a request body in bytes, without its file. */
const MAX_OVERHEAD = 64 * 1024;

const reject = (message: string): never => refuse("INVALID_BODY", { message });

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

/** Reads fields up to the next part `file`, and returns that part. Returns undefined if the form ends before one. */
async function fileAfterFields(parts: AsyncGenerator<Part>, fields: Fields): Promise<Part | undefined> {
  for (;;) {
    const { value: part, done } = await parts.next();
    if (done) return undefined;
    if (part.name === "file") return part;
    await readField(part, fields);
  }
}

/**
 * Reads an upload from a multipart form and stores it (specification 4.4). The parts can have any order. A limited number of uploads of a
 * person are read at once; further ones wait unread.
 *
 * If the fields before the file name a target, rights are checked before the first byte of the file is read. Otherwise only what holds for
 * every target is checked then, which is the room for the file; rights are checked after the last part, before the bytes become a blob. In
 * both cases rights are checked again after that, because an upload can take minutes.
 */
export const receiveUpload = (call: Call, env: Env): Promise<StoredFile> =>
  env.uploads.run(
    call.user.id,
    async () => {
      const parts = partsOf(call.request);
      try {
        return await receive(parts, call, env);
      } finally {
        await parts.return(undefined);
      }
    },
    call.signal(),
  );

async function receive(parts: AsyncGenerator<Part>, call: Call, env: Env): Promise<StoredFile> {
  const fields: Fields = {};
  const file = await fileAfterFields(parts, fields);
  if (file === undefined || namesTarget(fields)) await targetOf(call, fields, env);
  if (file === undefined) return reject("The part `file` is missing.");

  const { key, size } = await storeBlob(file, fields, parts, call, env);
  const now = await call.readmit();
  const { scope, record_id, owner_id } = await targetOf(now, fields, env);
  const { canvas, user } = now;
  const files = new FileStore(env, canvas.id);
  const created = await files.create({
    ...{ scope, record_id, owner_id, uploaded_by: user.id, created_at: env.clock() },
    ...{ name: storedName(file.filename), mime: mediaTypeOf(file.contentType), size, blob_key: key },
  });
  if (created === "full") return full();
  if (created === "owner_full") return ownerFull(await files.room());
  if (created === "gone") return refuse("NOT_FOUND");
  announceChange(canvas.id, { resource: "files", scope, id: created.id, op: "set", of: owner_id }, env);
  return created;
}

/**
 * Stores the bytes of an uploaded file as a blob, and returns its key and size. Adds the fields after the file to `fields`. Stores nothing
 * and throws if the file exceeds a limit, if what follows it is invalid, or if the fields after it have changed the target to one that the
 * caller may not use.
 */
async function storeBlob(
  file: Part,
  fields: Fields,
  parts: AsyncGenerator<Part>,
  call: Call,
  env: Env,
): Promise<{ key: string; size: number }> {
  const room = await new FileStore(env, call.canvas.id).room();
  requireRoom(Number(call.request.headers["content-length"] ?? 0) - MAX_OVERHEAD, room);
  const before = namesTarget(fields) ? Object.keys(fields).length : undefined;
  return await env.blobs.put(
    (async function* () {
      yield* within(room, file.body);
      if ((await fileAfterFields(parts, fields)) !== undefined) reject("`file` is given twice.");
      if (Object.keys(fields).length !== before) await targetOf(call, fields, env);
    })(),
  );
}
