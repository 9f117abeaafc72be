import type { Operation } from "@easel/protocol/policy";
import { allows } from "../../access/rights.ts";
import { policyOf } from "../../canvases/policy.ts";
import { isId } from "../../crypto/ids.ts";
import type { Env } from "../../env.ts";
import { disposition } from "../../http/disposition.ts";
import { refuse } from "../../http/refusal.ts";
import { rangeOf } from "../../http/request-headers.ts";
import type { Message } from "../../operations/operation.ts";
import type { FullAnswer, RuntimeCaller } from "../primitive.ts";
import { downloadName, isInline } from "./receive-upload.ts";
import { needsKv, scopeRights } from "./scope.ts";
import { FileStore, type StoredFile } from "./store.ts";

/**
 * Returns a file. Throws 404 `NOT_FOUND` if the caller cannot read it, and 403 `PERMISSION_DENIED` if the caller
 * may not do the operation. Throws 403 `CAPABILITY_DISABLED` if the file is attached to a record and KV is off.
 */
export async function openFile(
  caller: RuntimeCaller,
  id: string,
  operation: Exclude<Operation, "create" | "increment">,
  env: Env,
): Promise<StoredFile> {
  const { canvas, role, user } = caller;
  const file = (isId(id) ? await new FileStore(env, canvas.id).find(id) : undefined) ?? refuse("NOT_FOUND");
  const rights = scopeRights(file.scope, await policyOf(canvas, env), role) ?? refuse("NOT_FOUND");
  const isOwn = file.owner_id === user.id;
  if (!allows(rights.read, isOwn)) refuse("NOT_FOUND");
  if (needsKv(file.scope)) caller.requireCapability("kv");
  return allows(rights[operation], isOwn) ? file : refuse("PERMISSION_DENIED");
}

/** The Content-Security-Policy of uploaded files. A browser that opens a file directly runs no script in it. */
const POLICY = "default-src 'none'; media-src 'self'; style-src 'unsafe-inline'; sandbox";

/**
 * Returns a response with the bytes of a file, or with the range of bytes that the request asks for. Throws 416
 * `RANGE_NOT_SATISFIABLE` if the file does not have this range (specification 4.4).
 */
export async function contentOf(file: StoredFile, message: Message, env: Env): Promise<FullAnswer> {
  const { name, mime, size, blob_key } = file;
  const etag = `"${blob_key.slice(0, 32)}"`;
  const headers: Record<string, string> = {
    "content-type": mime,
    "content-disposition": disposition(isInline(mime) ? "inline" : "attachment", downloadName(name)),
    "content-security-policy": POLICY,
    "accept-ranges": "bytes",
    etag,
  };
  if (message.method === "HEAD")
    return { headers: { ...headers, "content-length": String(size) }, body: null };

  const range = rangeOf(message.headers, size, etag);
  if (range === "none")
    return refuse("RANGE_NOT_SATISFIABLE", {}, undefined, { "content-range": `bytes */${size}` });
  const isPart = range !== "all";
  const body = await env.blobs.get(blob_key, isPart ? range : undefined);
  if (body === null) throw new Error(`Blob ${blob_key} of file ${file.id} is missing`);
  if (!isPart) return { headers: { ...headers, "content-length": String(size) }, body };
  const { start, end } = range;
  return {
    status: 206,
    headers: {
      ...headers,
      "content-length": String(end - start + 1),
      "content-range": `bytes ${start}-${end}/${size}`,
    },
    body,
  };
}
