import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import type { Env } from "../env.ts";
import { Refusal } from "../http/refusal.ts";
import { limitResponses, SMALL_RESPONSE } from "../pipeline/limit-responses.ts";
import type { Answer, FullAnswer } from "./primitive.ts";

/** Sends the answer of a handler; `userId` is whose limit of concurrent large responses it counts for. */
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
 * Sends a stream, counted as a large response until it is sent. An error before its first byte is answered as any other; a later one
 * breaks the connection off, so that nobody takes the answer for whole.
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
      // They are those of the answer that failed.
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
