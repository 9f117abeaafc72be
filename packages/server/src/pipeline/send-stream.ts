import type { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import type { Env } from "../env.ts";
import { Refusal } from "../http/refusal.ts";
import { limitResponses } from "./limit-responses.ts";

/**
 * Sends a stream as the response, which counts as a large response until it ends. An error before the first byte results in the usual error
 * response. A later error closes the connection, so that the client notices that the response is incomplete.
 */
export function sendStream(
  stream: Readable,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> },
  userId: string,
  reply: FastifyReply,
  env: Env,
): FastifyReply {
  stream.on("error", (error) => {
    if (!reply.raw.headersSent) {
      // Removes the headers of the stream, which do not describe the error response.
      for (const name of Object.keys(headers)) {
        reply.removeHeader(name);
        reply.raw.removeHeader(name);
      }
      return;
    }
    const level = error instanceof Refusal ? "debug" : "error";
    env.log[level]({ err: error, requestId: reply.request.id }, "a response was aborted");
  });
  if (reply.request.method === "HEAD") {
    stream.destroy();
    return reply.code(status).headers(headers).send();
  }
  try {
    limitResponses(userId, reply, env);
  } catch (refusal) {
    stream.destroy();
    throw refusal;
  }
  return reply.code(status).headers(headers).send(stream);
}
