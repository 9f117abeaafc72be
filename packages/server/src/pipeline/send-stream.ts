import type { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import type { Env } from "../env.ts";
import { logIds } from "../http/log.ts";
import { Refusal } from "../http/refusal.ts";
import { limitResponses } from "./request-limits.ts";

/**
 * Sends a stream as the response. Throws 429 `CONCURRENCY_LIMIT` if too many streams or other large responses are already being sent to the
 * user. An error before the first byte becomes an error response; a later one closes the connection.
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
    env.log[level]({ err: error, ...logIds(reply.request) }, "a response was aborted");
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
