import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import type { Env } from "../env.ts";
import { exposeHeaders } from "../pipeline/cors.ts";
import { limitResponses, SMALL_RESPONSE } from "../pipeline/limit-responses.ts";
import { sendStream } from "../pipeline/send-stream.ts";
import type { Answer } from "./primitive.ts";

/**
 * Sends the response that a handler returned. Only a limited number of large responses may be sent to a user at a time. A large response
 * counts until it has been sent.
 */
export function respond(answer: Answer, userId: string, reply: FastifyReply, env: Env): unknown {
  if (typeof answer === "string") {
    if (answer.length > SMALL_RESPONSE) limitResponses(userId, reply, env);
    return answer;
  }
  if (answer instanceof Readable) return sendStream(answer, {}, userId, reply, env);
  const { status = 200, headers: given = {}, body, exposed, sent } = answer;
  const headers: Record<string, string> = {};
  if (sent !== undefined) reply.raw.once("close", sent);
  if (exposed !== undefined) exposeHeaders(exposed, reply, env);
  for (const [name, value] of Object.entries(given)) {
    if (value === null) reply.removeHeader(name);
    else headers[name] = value;
  }
  if (body instanceof Readable) return sendStream(body, { status, headers }, userId, reply, env);
  if (body !== null && body.length > SMALL_RESPONSE) limitResponses(userId, reply, env);
  if (body === null) reply.removeHeader("content-type");
  reply.code(status).headers(headers);
  return reply.send(body ?? undefined);
}
