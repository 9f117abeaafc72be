import { hash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { FastifyInstance } from "fastify";
import type { Env } from "../env.ts";
import { isFresh } from "../http/conditional.ts";
import { chooseRepresentation, etagOf } from "./representation.ts";

/** A text that the service generates and that is the same for everyone, such as a schema. */
interface PublicText {
  path: string;
  /** The media type. */
  type: string;
  /** Further response headers. The default is a CORS header that allows pages of all origins to read the text. */
  headers?: Record<string, string>;
  print(env: Env): string | Promise<string>;
}

/** A text in one content encoding, such as Brotli. */
interface Encoded {
  /** The SHA-256 of the text in hexadecimal digits. */
  key: string;
  encoding: "identity" | "br" | "gzip";
  size: number;
  bytes: Buffer;
}

const READABLE_EVERYWHERE = { "access-control-allow-origin": "*" };

/** The Brotli quality. The highest would take half a second for a large text, and save a tenth of its compressed size. */
const QUALITY = 9;

async function encode(print: PublicText["print"], env: Env): Promise<Encoded[]> {
  const plain = Buffer.from(await print(env));
  const params = { [constants.BROTLI_PARAM_QUALITY]: QUALITY };
  const [br, gzipped] = await Promise.all([
    promisify(brotliCompress)(plain, { params }),
    promisify(gzip)(plain),
  ]);
  const key = hash("sha256", plain, "hex");
  const all = [["identity", plain] as const, ["br", br] as const, ["gzip", gzipped] as const];
  return all.map(([encoding, bytes]) => ({ key, encoding, size: bytes.length, bytes }));
}

/**
 * Mounts a text at its path, without sign-in. The text is printed and compressed at the first request. Caches may keep it for an hour, and
 * revalidate it by its ETag.
 */
export function mountPublicText(
  app: FastifyInstance,
  env: Env,
  { path, type, headers = READABLE_EVERYWHERE, print }: PublicText,
): void {
  let printed: Promise<Encoded[]> | undefined;
  app.get(path, async (request, reply) => {
    printed ??= encode(print, env).catch((error) => {
      // The next request tries again.
      printed = undefined;
      throw error;
    });
    const chosen = chooseRepresentation(await printed, request.headers);
    const etag = etagOf(chosen);
    reply
      .headers({ etag, vary: "Accept-Encoding", "cache-control": "public, max-age=3600" })
      .headers(headers);
    if (isFresh(request.headers, etag)) return reply.code(304).send();
    if (chosen.encoding !== "identity") reply.header("content-encoding", chosen.encoding);
    return reply.type(type).send(chosen.bytes);
  });
}
