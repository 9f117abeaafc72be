import { LIMITS } from "@easel/protocol/limits";
import { z } from "zod";
import { readAll } from "../../async/chunks.ts";
import { ownerIdOf, refuseAt } from "../../canvases/owner-quotas.ts";
import { type ClaimedBlob, putClaimed } from "../../drivers/blob-references.ts";
import type { Env } from "../../env.ts";
import { type Part, partsOf } from "../../http/multipart.ts";
import { refuse } from "../../http/refusal.ts";
import { parseMediaType } from "../../http/request-headers.ts";
import type { Body } from "../../operations/operation-body.ts";
import { announceChange } from "../change-feed.ts";
import { bytes } from "../description.ts";
import type { RuntimeCaller } from "../primitive.ts";
import { makeRoom } from "./removed-files.ts";
import { FileStore, type Room, type StoredFile } from "./store.ts";
import { type Fields, namesTarget, targetOf } from "./target.ts";

const NAME_LENGTH = LIMITS.fileNameLength.value;

/** The name of a file that was uploaded without one. */
const DEFAULT_NAME = "upload";

/**
 * Matches control characters, line breaks, and invisible characters that change the direction of text. The latter can make the name of a
 * program look like the name of a picture.
 */
const HIDDEN = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/**
 * Returns a file name without the path before it, hidden characters, and spaces around it. Returns an empty text if nothing but dots is left.
 * Uploads and renames clean names instead of refusing them: names come from the disks of people, where marks of direction are common in
 * right-to-left scripts, and a refusal would cost an upload that has been sent.
 */
function cleaned(given: string): string {
  const last = given.toWellFormed().split(/[/\\]/).at(-1) ?? "";
  const name = last.replace(HIDDEN, "").trim();
  return /^\.*$/.test(name) ? "" : name;
}

/** Returns the cleaned name of an uploaded file, of at most 255 characters, or `upload` if nothing is left. */
export const storedName = (given: string | undefined): string =>
  cleaned(cut(cleaned(given ?? ""))) || DEFAULT_NAME;

/** Returns the cleaned name for a rename. Returns null if that does not have 1 to 255 characters (specification 4.4). */
export function newName(given: unknown): string | null {
  const name = typeof given === "string" ? cleaned(given) : "";
  return name !== "" && name.length <= NAME_LENGTH ? name : null;
}

/** Returns the name under which a browser saves a file. Replaces slashes, which names from earlier renames can contain. */
export const downloadName = (name: string): string => name.replace(/[/\\]/g, "_");

/** Shortens a name to 255 characters, and keeps an extension of up to 20 characters. */
function cut(name: string): string {
  if (name.length <= NAME_LENGTH) return name;
  const [extension = ""] = /\.[^.]{1,20}$/.exec(name) ?? [];
  // Never cuts a surrogate pair in two.
  return name.slice(0, NAME_LENGTH - extension.length).replace(/[\ud800-\udbff]$/, "") + extension;
}

/** The media type of a file that was uploaded without one. */
const DEFAULT_TYPE = "application/octet-stream";

const MAX_LENGTH = 255;

/** Image types that browsers decode without running scripts. */
const INLINE = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"]);

/** Matches the names of charsets that can stand in a header without quotation marks, of the length of RFC 2978. */
const CHARSET = /^[\w.+-]{1,40}$/;

/**
 * Returns the media type of a `Content-Type`, in lower case. Returns the default if it is missing, malformed or too long. Keeps the `charset`
 * of a text, without which nobody can read texts that are not in UTF-8, and drops all other parameters. It gives a file no rights: whatever
 * it says, texts are downloads, with `nosniff` and a policy that runs no script (`content.ts`).
 */
export function mediaTypeOf(header: string | undefined): string {
  const essence = parseMediaType(header?.split(";", 1)[0])?.essence ?? DEFAULT_TYPE;
  if (essence.length > MAX_LENGTH) return DEFAULT_TYPE;
  const charset = parseMediaType(header)?.params.get("charset")?.toLowerCase();
  const isKept = essence.startsWith("text/") && charset !== undefined && CHARSET.test(charset);
  return isKept ? `${essence}; charset=${charset}` : essence;
}

/** Whether browsers display files of a media type. All others are downloaded (specification 4.4). */
export const isInline = (mediaType: string): boolean => INLINE.has(mediaType);

/** Throws 409 `QUOTA_EXCEEDED`. */
const full = (): never =>
  refuse("QUOTA_EXCEEDED", { message: "The files of this canvas have used up its quota of bytes." }, 409);

/**
 * Throws 413 `FILE_TOO_LARGE` for a file of this size in bytes if no file may be that large, and 409 `QUOTA_EXCEEDED` if the quota of the
 * canvas or of its owner has no room for it.
 */
function requireRoom(size: number, room: Room): void {
  if (size > room.file) refuse("FILE_TOO_LARGE", { message: `The file is larger than ${room.file} bytes.` });
  if (size > room.canvas) full();
  if (size > room.owner) ownerFull(room);
}

/** Throws 409 `QUOTA_EXCEEDED` with the quota of the canvas's owner. */
const ownerFull = ({ ownerQuota }: Room): never => refuseAt("files.bytes.person", ownerQuota);

/** Streams the bytes of a file. Throws 413 `FILE_TOO_LARGE` or 409 `QUOTA_EXCEEDED` as soon as they exceed a limit. */
async function* within(room: Room, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    requireRoom(size, room);
    yield chunk;
  }
}

const FIELDS = ["scope", "group", "collection", "recordId"] as const;
/** The maximum size of a form field in bytes. All valid values are shorter. */
const MAX_FIELD_BYTES = 1024;
/** The maximum size of a form in bytes, without its file. */
const MAX_OVERHEAD = 64 * 1024;

const reject = (message: string): never => refuse("INVALID_BODY", { message });

async function readField({ name, body }: Part, fields: Fields): Promise<void> {
  const field =
    FIELDS.find((each) => each === name) ?? reject(`There is no field \`${name.slice(0, 100)}\`.`);
  if (fields[field] !== undefined) reject(`\`${field}\` is given twice.`);
  const bytes = await readAll(body, MAX_FIELD_BYTES, () => reject(`\`${field}\` is too long.`));
  fields[field] = bytes.toString("utf8");
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

/** A file that a caller in the same process uploads. `size` is in bytes. */
export interface GivenFile extends Fields {
  name?: string | undefined;
  type?: string | undefined;
  size: number;
  content: AsyncIterable<Uint8Array>;
}

/** A file whose bytes are stored as a blob. */
interface Uploaded extends ClaimedBlob {
  fields: Fields;
  name: string | undefined;
  type: string | undefined;
}

/**
 * The body of an upload: a multipart form with its parts in any order (specification 4.4). A limited number of uploads of a person are read
 * at once; further ones wait unread.
 *
 * If the fields before the file name a target, rights are checked before the first byte of the file is read. Otherwise only what holds for
 * every target is checked then, which is the room for the file; rights are checked after the last part, before the bytes become a blob. In
 * both cases rights are checked again after that, because an upload can take minutes.
 */
export const uploadBody: Body<Uploaded, RuntimeCaller> = {
  type: "multipart/form-data",
  schema: z.strictObject({
    scope: z.enum(["shared", "submission"]).optional(),
    group: z.string().optional().meta({ description: "The name of a file group." }),
    collection: z
      .string()
      .optional()
      .meta({ description: "With `recordId`: attaches the file to a record." }),
    recordId: z.string().optional(),
    file: bytes,
  }),
  parts: { file: "application/octet-stream" },
  slow: true,
  async receive(given, { caller, signal }, env, use) {
    if ("value" in given) {
      const uploaded = await storeGiven(given.value as GivenFile, caller, env);
      return use(() => uploaded);
    }
    return env.uploads.run(
      caller.user.id,
      async () => {
        const parts = partsOf(given);
        try {
          const uploaded = await storeForm(parts, given.size, caller, env);
          return await use(() => uploaded);
        } finally {
          await parts.return(undefined);
        }
      },
      signal(),
    );
  },
};

async function storeGiven(given: GivenFile, caller: RuntimeCaller, env: Env): Promise<Uploaded> {
  const { name, type, size: announced, content, ...fields } = given;
  await targetOf(caller, fields, env);
  const room = await new FileStore(env, caller.canvas.id).room();
  requireRoom(announced, room);
  return { fields, name, type, ...(await putClaimed(within(room, content), env)) };
}

async function storeForm(
  parts: AsyncGenerator<Part>,
  announced: number,
  caller: RuntimeCaller,
  env: Env,
): Promise<Uploaded> {
  const fields: Fields = {};
  const file = await fileAfterFields(parts, fields);
  if (file === undefined || namesTarget(fields)) await targetOf(caller, fields, env);
  if (file === undefined) return reject("The part `file` is missing.");
  const room = await new FileStore(env, caller.canvas.id).room();
  requireRoom(announced - MAX_OVERHEAD, room);
  const { filename: name, contentType: type } = file;
  const blob = await storeBlob(file, fields, parts, room, caller, env);
  return { fields, name, type, ...blob };
}

/**
 * Stores the bytes of an uploaded file as a claimed blob. Adds the fields after the file to `fields`. Stores nothing
 * and throws if the file exceeds a limit, if what follows it is invalid, or if the fields after it have changed the target to one that the
 * caller may not use.
 */
async function storeBlob(
  file: Part,
  fields: Fields,
  parts: AsyncGenerator<Part>,
  room: Room,
  caller: RuntimeCaller,
  env: Env,
): Promise<ClaimedBlob> {
  const before = namesTarget(fields) ? Object.keys(fields).length : undefined;
  return await putClaimed(
    (async function* () {
      yield* within(room, file.body);
      if ((await fileAfterFields(parts, fields)) !== undefined) reject("`file` is given twice.");
      if (Object.keys(fields).length !== before) await targetOf(caller, fields, env);
    })(),
    env,
  );
}

/** Checks the rights of the caller and adds a file whose bytes are stored, by default with a new id. Publishes the change. */
export async function addFile(
  caller: RuntimeCaller,
  { fields, name, type, key, size, claim }: Uploaded,
  id: string | undefined,
  env: Env,
): Promise<StoredFile> {
  const { scope, record_id, owner_id } = await targetOf(caller, fields, env);
  const { canvas, user } = caller;
  const files = new FileStore(env, canvas.id);
  const file = {
    ...{ scope, record_id, owner_id, uploaded_by: user.id, created_at: env.clock() },
    ...{ name: storedName(name), mime: mediaTypeOf(type), size, blob_key: key, claim },
  };
  const created = await files.create(file, id, () => makeRoom(ownerIdOf(canvas.id), env));
  if (created === "full") return full();
  if (created === "owner_full") return ownerFull(await files.room());
  if (created === "gone") return refuse("NOT_FOUND");
  if (created === "lost") return refuse("UNAVAILABLE");
  announceChange(canvas.id, { resource: "files", scope, id: created.id, op: "set", of: owner_id }, env);
  return created;
}
