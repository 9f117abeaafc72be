import { hash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import { isFresh } from "../http/conditional.ts";
import { chooseRepresentation, etagOf } from "./representation.ts";

/** A text in one content encoding, such as Brotli. */
interface Encoded {
  /** The SHA-256 of the text in hexadecimal digits. */
  key: string;
  encoding: "identity" | "br" | "gzip";
  size: number;
  bytes: Buffer;
}

/** The Brotli quality. The highest would take half a second for a large text, and save a tenth of its compressed size. */
const QUALITY = 9;

async function encode(plain: Buffer): Promise<Encoded[]> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: QUALITY };
  const [br, gzipped] = await Promise.all([
    promisify(brotliCompress)(plain, { params }),
    promisify(gzip)(plain),
  ]);
  const key = hash("sha256", plain, "hex");
  const all = [["identity", plain] as const, ["br", br] as const, ["gzip", gzipped] as const];
  return all.map(([encoding, bytes]) => ({ key, encoding, size: bytes.length, bytes }));
}

/** Lets caches keep a text for an hour. They then revalidate it by its ETag. */
const FOR_AN_HOUR = "public, max-age=3600";

/**
 * Returns a function that sends a text in the encoding that the client prefers, with the header `Cache-Control: {caching}`. The first
 * request calls `print` for the text and compresses it. After a failure, the next request tries again.
 */
export function encodedText(type: string, print: () => Promise<string | Buffer>, caching = FOR_AN_HOUR) {
  let printed: Promise<Encoded[]> | undefined;
  const load = async () => encode(Buffer.from(await print()));
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    printed ??= load().catch((error) => {
      printed = undefined;
      throw error;
    });
    const chosen = chooseRepresentation(await printed, request.headers);
    const etag = etagOf(chosen);
    reply.headers({ etag, vary: "Accept-Encoding", "cache-control": caching });
    if (isFresh(request.headers, etag)) return reply.code(304).send();
    if (chosen.encoding !== "identity") reply.header("content-encoding", chosen.encoding);
    return reply.type(type).send(chosen.bytes);
  };
}
