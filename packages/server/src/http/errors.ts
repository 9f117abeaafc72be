import { randomBytes } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { ERRORS, type ErrorCode } from "@easel/protocol/errors";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { isFull } from "../disk/disk-space.ts";
import { Unavailable } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { loggable } from "./log.ts";
import { Refusal } from "./refusal.ts";
import { sendErrorPage, wantsErrorPage } from "./refusal-page.ts";
import { LINGER_MS, linger } from "./rejected-body.ts";
import { setCommonHeaders } from "./security-headers.ts";

/** Returns a function that creates request ids for responses and log lines. The ids are unique across nodes and restarts. */
export function requestIds(): () => string {
  const node = randomBytes(4).toString("hex");
  let requests = 0;
  return () => `${node}-${(++requests).toString(36)}`;
}

/** Sends the response for an error, which `refusalOf` converts. */
export const answerError = (
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  env: Env,
): FastifyReply => sendRefusal(refusalOf(error, request, reply, env), request, reply, env);

/**
 * Sends a Refusal as the response. The body is a page if the client accepts HTML and the path is not that of an API, otherwise JSON.
 */
export function sendRefusal(
  refusal: Refusal,
  request: FastifyRequest,
  reply: FastifyReply,
  { base }: Env,
): FastifyReply {
  const { status, body, headers } = refusal;
  linger(request.raw, reply.raw);
  // Sets the common headers again, because Fastify runs no hook for a path that cannot be decoded.
  setCommonHeaders(reply, base);
  if (body.code === "UNAVAILABLE") reply.header("retry-after", "1");
  reply.headers(headers).code(status).header("cache-control", "private, no-store");
  if (headers.location !== undefined) return reply.send();
  if (wantsErrorPage(request)) return sendErrorPage(request, reply, refusal, base.origin);
  return reply
    .header("content-type", "application/json; charset=utf-8")
    .send(JSON.stringify(body.code === undefined ? body : { ...body, requestId: request.id }));
}

/**
 * Converts an error to the response that it gets, and logs it if it is a fault of the service. A `Refusal` is returned as it is; an
 * unavailable database becomes 503, a full disk 507, a 4xx error of Fastify keeps its status, and any other error becomes 500.
 */
export function refusalOf(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  { log }: Pick<Env, "log">,
): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof Unavailable) {
    log.warn(
      { requestId: request.id, why: String(error.cause ?? error.message) },
      "the database is unavailable",
    );
    return ownRefusal("UNAVAILABLE");
  }
  if (isFull(error)) {
    log.error({ requestId: request.id, why: String(error) }, "no disk space is left for a request");
    return ownRefusal("INSUFFICIENT_STORAGE");
  }
  const { statusCode = 500 } = error as FastifyError;
  if (statusCode < 500)
    return new Refusal(statusCode, {
      code: "INVALID_BODY",
      message: (error as Error).message,
    });
  // A stream is destroyed without an error of its own when its client closes the connection before the first byte.
  const isAborted = reply.raw.destroyed && (error as FastifyError).code === "ERR_STREAM_PREMATURE_CLOSE";
  if (isAborted) log.debug(loggable(request), "a client has gone");
  else log.error({ err: error, ...loggable(request) }, "a request failed");
  return ownRefusal("INTERNAL_ERROR");
}

const ownRefusal = (code: ErrorCode) =>
  new Refusal(ERRORS[code].status, { code, message: ERRORS[code].message });

/**
 * Responds to a request that Node cannot parse: with 431 if its headers are too large, 408 if it does not arrive in time, otherwise 400.
 * Then closes the connection as soon as the client closes its side, at the latest after `LINGER_MS`.
 */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket, requestId: string): void {
  if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy();
  const status = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }[error.code ?? ""] ?? 400;
  const message = STATUS_CODES[status];
  const body = JSON.stringify({ code: "INVALID_BODY", message: `${message}.`, requestId });
  socket.end(
    `HTTP/1.1 ${status} ${message}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      "Cache-Control: private, no-store\r\nX-Content-Type-Options: nosniff\r\n" +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once("close", () => clearTimeout(timer));
}
