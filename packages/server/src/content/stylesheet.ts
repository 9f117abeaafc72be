import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { FastifyInstance } from "fastify";
import { assetPath } from "../config/assets.ts";
import type { Env } from "../env.ts";
import { contentPath } from "../http/canvas-path.ts";
import { encodedText } from "./encoded-text.ts";

const TYPE = "text/css; charset=utf-8";
const PATH = "/sdk/easel.css";

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
    app.get(host + PATH, (request, reply) => send(request, reply.header("content-location", version)));
    app.get(`${host}${version}`, sendVersion);
    app.get(`${host}/sdk/easel-:version(^${VERSION}).css`, (_request, reply) => reply.redirect(PATH));
  }
}
