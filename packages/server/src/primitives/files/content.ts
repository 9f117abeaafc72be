import { encodeExtended, format } from "content-disposition";
import type { Env } from "../../env.ts";
import { rangeOf } from "../../http/conditional.ts";
import { refuse } from "../../http/refusal.ts";
import type { Call, FullAnswer } from "../primitive.ts";
import { downloadName } from "./file-name.ts";
import { isInline } from "./media-type.ts";
import type { StoredFile } from "./store.ts";

/** The Content-Security-Policy of uploaded files. A browser that opens a file directly runs no script in it. */
const POLICY = "default-src 'none'; media-src 'self'; style-src 'unsafe-inline'; sandbox";

/**
 * Returns the `Content-Disposition` of a file. It contains the name of the file twice: in ASCII for old programs, and complete (RFC 5987).
 */
function dispositionOf(name: string, mime: string): string {
  const whole = downloadName(name);
  const parameters = {
    filename: whole.replace(/[^\x20-\x7e]/g, "?"),
    "filename*": encodeExtended(whole),
  };
  return format({ type: isInline(mime) ? "inline" : "attachment", parameters });
}

/**
 * Returns a response with the bytes of a file, or with the range of bytes that the request asks for. Throws 416
 * `RANGE_NOT_SATISFIABLE` if the file does not have this range (specification 4.4).
 */
export async function contentOf(file: StoredFile, { request }: Call, env: Env): Promise<FullAnswer> {
  const { name, mime, size, blob_key } = file;
  const etag = `"${blob_key.slice(0, 32)}"`;
  const headers: Record<string, string> = {
    "content-type": mime,
    "content-disposition": dispositionOf(name, mime),
    "content-security-policy": POLICY,
    "accept-ranges": "bytes",
    etag,
  };
  if (request.method === "HEAD")
    return { headers: { ...headers, "content-length": String(size) }, body: null };

  const range = rangeOf(request.headers, size, etag);
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
