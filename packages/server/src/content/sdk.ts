import { readFile } from "node:fs/promises";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { assetPath } from "../config/assets.ts";
import type { Env } from "../env.ts";
import { contentPath } from "../http/canvas-path.ts";
import { identify } from "../identity/identify.ts";
import { authenticate, opensToAnonymous } from "../pipeline/authenticate.ts";
import { challenge } from "../sign-in/challenge.ts";
import { encodedText } from "./encoded-text.ts";
import { requireOwnOrigin } from "./isolation.ts";
import { requireOwnHost } from "./own-host.ts";
import { referringCanvas } from "./referring-canvas.ts";

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

  const sendScript = (request: FastifyRequest, reply: FastifyReply) =>
    send(request, reply).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
      reply.code(503).type("text/plain; charset=utf-8").header("cache-control", "private, no-store");
      return reply.send("The SDK has not been built: npm run build\n");
    });

  app.get("/sdk/v1.js", async (request, reply) => {
    // Passes null instead of the reply, because the response may be cached and therefore must not set a cookie.
    const { user } = await identify(request.raw, null, env);
    const page = user === null ? referringCanvas(request.headers, env) : null;
    if (user === null && (page === null || !(await opensToAnonymous(page, env))))
      challenge(request.raw, "api", env);
    return sendScript(request, reply);
  });

  if (env.base.urlMode === "subdomain") {
    app.get<{ Params: { slug: string } }>(`${contentPath(":slug")}/sdk/v1.js`, async (request, reply) => {
      requireOwnHost(request, env);
      requireOwnOrigin(request, reply, env);
      const { slug } = request.params;
      await authenticate({ slug, surface: "content", request: request.raw, answer: reply }, env);
      return sendScript(request, reply);
    });
  }
}
