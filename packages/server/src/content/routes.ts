import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { visitor } from "../access/principal.ts";
import type { Env } from "../env.ts";
import { contentPath, isSlug, parseCanvasPath } from "../http/canvas-path.ts";
import { firstValue, type Query } from "../http/query.ts";
import { Refusal, refuse } from "../http/refusal.ts";
import type { Caller } from "../identity/credential.ts";
import { PREVIEW } from "../identity/previews.ts";
import { authenticate } from "../pipeline/authenticate.ts";
import { optimistically, type Verify } from "../pipeline/optimistic.ts";
import type { Visit } from "../pipeline/visit.ts";
import { ENTER, finishHandOver } from "../sign-in/hand-over.ts";
import { askForAccess } from "./ask-access.ts";
import { sendCanvasErrorPage } from "./error-pages.ts";
import { orRetiredWorker } from "./former-canvas.ts";
import { ASK, formTarget, GATE } from "./forms.ts";
import { requireCanvasHost, requireSameOrigin } from "./isolation.ts";
import { submitPassword } from "./password-gate.ts";
import { leavePreview, showPreview } from "./preview.ts";
import { searchOf, serve } from "./serve.ts";
import { storedContent } from "./served-files.ts";

const ROOT = contentPath(":slug");

const slugOf = (request: FastifyRequest) => (request.params as { slug: string }).slug;

/**
 * Returns the path of the requested page, relative to the canvas's URL. For a submitted form, this is the path in the query parameter
 * `to`.
 */
const pageOf = (request: FastifyRequest) =>
  request.method === "POST"
    ? (firstValue(request.query as Query, "to") ?? "")
    : (parseCanvasPath(request.url)?.rest.slice(1) ?? "");

type Answer = (
  visit: Visit,
  caller: Caller,
  request: FastifyRequest,
  reply: FastifyReply,
  env: Env,
  verify: Verify,
) => Promise<unknown>;

/**
 * Mounts canvas pages at `/c/{slug}/`, with the same authentication and sharing rules as the API. In subdomain mode, requests to the
 * host of a canvas are rewritten to this path (http/hosts.ts).
 */
export function mountContent(app: FastifyInstance, env: Env): void {
  const stored = storedContent(env);

  /** Returns a request handler that authenticates the caller and calls `answer`. If `answer` throws a Refusal, sends an error page. */
  const answering =
    (answer: Answer) =>
    (request: FastifyRequest, reply: FastifyReply): Promise<unknown> =>
      optimistically(env, (current, verify) => answered(answer, request, reply, current, verify));

  const answered = async (
    answer: Answer,
    request: FastifyRequest,
    reply: FastifyReply,
    env: Env,
    verify: Verify,
  ): Promise<unknown> => {
    const slug = slugOf(request);
    const visit: Visit = { slug, surface: "content", request: request.raw, answer: reply };
    const caller = await authenticate(visit, env);
    try {
      return await answer(visit, caller, request, reply, env, verify);
    } catch (error) {
      if (!(error instanceof Refusal) || error.code === undefined) throw error;
      if (verify !== null) await verify();
      return sendCanvasErrorPage(
        error,
        { slug, path: pageOf(request), principal: caller.user },
        request,
        reply,
        env,
      );
    }
  };

  app.register(async (pages) => {
    pages.addHook("onRequest", async (request, reply) => {
      requireCanvasHost(request, env);
      requireSameOrigin(request, reply, env);
    });
    pages.get(ROOT, async (request, reply) => {
      return reply.redirect(`${contentPath(encodeURIComponent(slugOf(request)))}/${searchOf(request)}`, 308);
    });
    const served = answering((visit, caller, request, reply, env, verify) =>
      serve(visit, caller, request, reply, stored, env, verify),
    );
    pages.route({
      method: ["GET", "HEAD"],
      url: `${ROOT}/*`,
      handler: (request, reply) => orRetiredWorker(request, reply, () => served(request, reply)),
    });
    for (const [path, submit] of [
      [GATE, submitPassword],
      [ASK, askForAccess],
    ] as const) {
      // If a caller had to sign in before the form could be read, the sign-in redirects the browser to this path with GET.
      pages.get(`${ROOT}/${path}`, async (request, reply) => {
        const slug = slugOf(request);
        if (!isSlug(slug)) refuse("NOT_FOUND");
        return reply.redirect(formTarget(slug, request, env), 303);
      });
      pages.post(
        `${ROOT}/${path}`,
        // Not optimistic: a form is read once.
        (request, reply) => answered(submit, request, reply, env, null),
      );
    }
    /** Returns a request handler that calls `answer` without authentication. If `answer` throws a Refusal, sends an error page. */
    const open =
      (answer: typeof finishHandOver) =>
      async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
        const slug = slugOf(request);
        try {
          return await answer(slug, request, reply, env);
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          return sendCanvasErrorPage(error, { slug, path: "", principal: visitor() }, request, reply, env);
        }
      };
    // HEAD must not use up a code.
    pages.get(`${ROOT}/${PREVIEW}`, { exposeHeadRoute: false }, open(showPreview));
    pages.post(`${ROOT}/${PREVIEW}`, (request, reply) => leavePreview(slugOf(request), reply, env));
    if (env.base.urlMode === "subdomain")
      pages.get(`${ROOT}/${ENTER}`, { exposeHeadRoute: false }, open(finishHandOver));
  });
}
