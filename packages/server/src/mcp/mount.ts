import type { FastifyInstance } from "fastify";
import type { Env } from "../env.ts";
import { METHODS } from "../http/methods.ts";
import type { Handler, Handlers } from "./handler.ts";
import { UPLOAD_PATH } from "./upload/upload-ticket.ts";

async function loadHandlers(env: Env): Promise<Handlers> {
  const { handlersOf } = await import("./handlers.ts");
  return handlersOf(env);
}

/**
 * Mounts the paths of the tools: `/mcp` for programs, `/mcp/upload` for the folders of the commands that `upload_command` makes, and
 * `/confirm/{ticket}`, where a person sees what a connected tool wants to do, and allows it or not. The tools are loaded by the first request,
 * so that the start of the service does not wait for them.
 */
export function mountTools(app: FastifyInstance, env: Env): void {
  let handlers: Promise<Handlers> | undefined;
  const handlerOf =
    (name: keyof Handlers): Handler =>
    async (request, reply) => {
      handlers ??= loadHandlers(env);
      return (await handlers)[name](request, reply);
    };
  app.route({ method: [...METHODS], url: "/mcp", handler: handlerOf("serve") });
  app.route({ method: [...METHODS], url: UPLOAD_PATH, handler: handlerOf("upload") });
  app.get("/confirm/:ticket", { exposeHeadRoute: false }, handlerOf("ask"));
  app.post("/confirm/:ticket", handlerOf("answer"));
}
