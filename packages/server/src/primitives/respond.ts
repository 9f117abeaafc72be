import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import type { Env } from "../env.ts";
import { Refusal } from "../http/refusal.ts";
import { limitResponses, SMALL_RESPONSE } from "../pipeline/limit-responses.ts";
import type { Answer, FullAnswer } from "./primitive.ts";

/** Sends what a handler returned. A large response counts towards the limit of the user with `userId`. */
export function respond(answer: Answer, userId: string, reply: FastifyReply, env: Env): unknown {
  if (typeof answer === "string") {
    if (answer.length > SMALL_RESPONSE) limitResponses(userId, reply, env);
    return answer;
  }
  if (answer instanceof Readable) return sendStream(answer, {}, userId, reply, env);
  const { status = 200, headers = {}, body } = answer;
  if (body instanceof Readable) return sendStream(body, { status, headers }, userId, reply, env);
  if (body !== null && body.length > SMALL_RESPONSE) limitResponses(userId, reply, env);
  if (body === null) reply.removeHeader("content-type");
  reply.code(status).headers(headers);
  return reply.send(body ?? undefined);
}

/**
 * Sends a stream, which counts as a large response until it ends. An error before the first byte gets the usual error response; a
 * later one closes the connection, so that the client does not take the response for complete.
 */
function sendStream(
  stream: Readable,
  { status = 200, headers = {} }: Omit<FullAnswer, "body">,
  userId: string,
  reply: FastifyReply,
  env: Env,
): FastifyReply {
  stream.on("error", (error) => {
    if (!reply.raw.headersSent) {
      // The headers describe the body that failed.
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
