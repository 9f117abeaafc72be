import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { jsonSchema } from "../canvases/publishing/easel-json.ts";
import { assetPath } from "../config/assets.ts";
import type { Env } from "../env.ts";
import { contentPath } from "../http/canvas-path.ts";
import { isFresh } from "../http/request-headers.ts";
import { identify } from "../identity/identify.ts";
import { findPreviewer, mayPreview } from "../identity/previews.ts";
import { authenticate, opensToAnonymous } from "../pipeline/authenticate.ts";
import { challenge } from "../sign-in/challenge.ts";
import { referringCanvas, requireCanvasHost, requireSameOrigin } from "./isolation.ts";
import { chooseRepresentation, etagOf } from "./served-files.ts";

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
function encodedText(type: string, print: () => Promise<string | Buffer>, caching = FOR_AN_HOUR) {
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

/** A text that the service generates and that is the same for everyone, such as a schema. */
interface PublicText {
  path: string;
  /** The media type. */
  type: string;
  /** Further response headers. The default is a CORS header that allows pages of all origins to read the text. */
  headers?: Record<string, string>;
  print(env: Env): string | Promise<string>;
}

const READABLE_EVERYWHERE = { "access-control-allow-origin": "*" };

/** Mounts a text at its path, without sign-in. It is printed at the first request, because the base URL is final only then. */
export function mountPublicText(
  app: FastifyInstance,
  env: Env,
  { path, type, headers = READABLE_EVERYWHERE, print }: PublicText,
): void {
  const send = encodedText(type, async () => print(env));
  app.get(path, (request, reply) => send(request, reply.headers(headers)));
}

/** The path that browsers request for every page without `<link rel="icon">`. */
export const FAVICON = "favicon.ico";

/** The mark of a canvas: a sheet on an easel. */
const MARK = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">
  <rect width="64" height="64" rx="14" fill="#23406e"/>
  <path d="M32 8v6M22 46l-7 12M42 46l7 12M32 46v9" stroke="#ffc861" stroke-width="4" stroke-linecap="round"/>
  <rect x="12" y="14" width="40" height="31" rx="4" fill="#f7f4ea"/>
  <path d="M18 38l9-11 7 8 5-5 7 8z" fill="#7ddba3"/>
  <circle cx="42" cy="23" r="4" fill="#ffc861"/>
</svg>
`;

/** Sends the icon of canvases that have none of their own. Browsers report a missing icon as an error on every page. */
export const sendDefaultFavicon = encodedText("image/svg+xml", async () => MARK);

/**
 * Mounts the icon of the service's own host, `GET /favicon.ico`. In path mode it is also that of every canvas whose pages name no other
 * one. On the host of a canvas, a `favicon.ico` of the canvas comes first (`serve.ts`).
 */
export function mountFavicon(app: FastifyInstance): void {
  app.get(`/${FAVICON}`, sendDefaultFavicon);
}

const TYPE = "text/css; charset=utf-8";
const STYLESHEET_PATH = "/sdk/easel.css";

/** The name of a version of the stylesheet: the beginning of the SHA-256 of its text. */
const VERSION = "[0-9a-f]{12}";

/**
 * Mounts the stylesheet for pages, `GET /sdk/easel.css`, on the base host and on canvas hosts. It is the same for everyone and needs no
 * sign-in, so that pages of a Public link can load it. Its `Content-Location` is the name of this version, `/sdk/easel-{version}.css`,
 * which caches may keep for a year. The names of other versions redirect to the stylesheet of this release, so that pages keep their looks
 * (decision 062).
 */
export function mountStylesheet(app: FastifyInstance, env: Env): void {
  const text = readFileSync(assetPath("stylesheet"));
  const version = `/sdk/easel-${hash("sha256", text, "hex").slice(0, 12)}.css`;
  const send = encodedText(TYPE, async () => text);
  const sendVersion = encodedText(TYPE, async () => text, "public, max-age=31536000, immutable");
  const hosts = env.base.urlMode === "subdomain" ? ["", contentPath(":slug")] : [""];
  for (const host of hosts) {
    app.get(host + STYLESHEET_PATH, (request, reply) =>
      send(request, reply.header("content-location", version)),
    );
    app.get(`${host}${version}`, sendVersion);
    app.get(`${host}/sdk/easel-:version(^${VERSION}).css`, (_request, reply) =>
      reply.redirect(STYLESHEET_PATH),
    );
  }
}

/** The path of the JSON Schema of `easel.json`, the configuration file in a bundle. */
const SCHEMA_PATH = "/schema/easel.json";

/**
 * Mounts the JSON Schema of `easel.json`. It is public, because editors load it without a session. Pages of any origin can read it, because
 * some editors run in a browser.
 */
export function mountSchema(app: FastifyInstance, env: Env): void {
  mountPublicText(app, env, {
    path: SCHEMA_PATH,
    type: "application/schema+json; charset=utf-8",
    print({ base }) {
      const { $schema, ...schema } = jsonSchema();
      return JSON.stringify({ $schema, $id: base.origin + SCHEMA_PATH, ...schema });
    },
  });
}

/**
 * Mounts the script of the SDK, `GET /sdk/v1.js`, on the base host and on canvas hosts (specification 4.11). Its first line tells the SDK
 * whether canvases have their slugs in paths or in host names. Without sign-in, the base host serves the script only if the header
 * `Referer` names a page of a canvas with a Public link (specification 4.1, step 1). If the script in `file` has not been built, the
 * response is 503 in plain text.
 */
export function mountSdk(app: FastifyInstance, env: Env, file = assetPath("sdk")): void {
  const send = encodedText("application/javascript; charset=utf-8", async () => {
    const script = await readFile(file, "utf8");
    return `globalThis.easel={urlMode:${JSON.stringify(env.base.urlMode)}};\n${script}`;
  });

  /** Whether a `Cookie` header has the session of a preview, whose page needs the script. */
  const previews = async (cookie: string | undefined) =>
    mayPreview(cookie) && (await findPreviewer(cookie, undefined, env)) !== null;

  const sendScript = (request: FastifyRequest, reply: FastifyReply) =>
    send(request, reply).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
      reply.code(503).type("text/plain; charset=utf-8").header("cache-control", "private, no-store");
      return reply.send("The SDK has not been built: npm run build\n");
    });

  app.get("/sdk/v1.js", async (request, reply) => {
    // Passes null instead of the reply, because the response may be cached and therefore must not set a cookie.
    const { user } = await identify(request.raw, null, env);
    if (user.kind === "visitor") {
      const page = referringCanvas(request.headers, env);
      const isOpen = page !== null && (await opensToAnonymous(page, env));
      if (!isOpen && !(await previews(request.headers.cookie))) challenge(request.raw, "api", env);
    }
    return sendScript(request, reply);
  });

  if (env.base.urlMode === "subdomain") {
    app.get<{ Params: { slug: string } }>(`${contentPath(":slug")}/sdk/v1.js`, async (request, reply) => {
      requireCanvasHost(request, env);
      requireSameOrigin(request, reply, env);
      const { slug } = request.params;
      await authenticate({ slug, surface: "content", request: request.raw, answer: reply }, env);
      return sendScript(request, reply);
    });
  }
}
