import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { Readable } from "node:stream";
import { ERRORS, type ErrorCode } from "@easel/protocol/errors";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { isFull } from "../disk/disk-space.ts";
import { Unavailable } from "../drivers/unavailable.ts";
import type { Env } from "../env.ts";
import { setCommonHeaders } from "./cross-site.ts";
import { type Html, html, sendPage } from "./html.ts";
import { loggable, logIds } from "./log.ts";
import { STATUS_CODES } from "./node-http.ts";
import { Refusal } from "./refusal.ts";
import { wantsPage } from "./request-headers.ts";
import { logRefusal } from "./security-log.ts";

/** Time for which the rest of a rejected body is read and discarded, so that the client can read the response. */
const LINGER_MS = 2_000;

/** Reads and discards the rest of a rejected body for at most `LINGER_MS`, and keeps the connection open meanwhile. */
function linger(request: IncomingMessage, response: ServerResponse): void {
  // A destroyed request counts as over, because it has no socket any more.
  const isOver = () => request.complete || request.destroyed;
  if (isOver()) return;
  const { socket } = request;
  const close = () => Socket.prototype.destroySoon.call(socket);
  // Node calls `destroySoon` after a response with `Connection: close`. If the socket were closed then, data that arrives later would reset
  // the connection, and the client would lose the response.
  socket.destroySoon = () => void (isOver() ? close() : socket.end());
  response.once("finish", () => {
    if (isOver()) return;
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    request.once("close", () => {
      clearTimeout(timer);
      if (socket.writableEnded) close();
    });
    discard(request);
  });
}

/**
 * Reads and discards the rest of a body, one chunk in each turn of the event loop. Otherwise, one turn would read all that a fast client
 * has sent, which is megabytes for each connection.
 */
export function discard(body: Readable): void {
  body.on("data", () => {
    body.pause();
    setImmediate(() => body.resume());
  });
  body.resume();
}

/** The paths that programs use. Their errors are JSON, regardless of `Accept`. */
const PROGRAM_PATHS =
  /^\/(api|v1|mcp|scim|sdk|healthz|readyz|metrics|\.well-known|oauth\/(token|revoke|register|device_authorization))([/?]|$)/;

/** Titles of error pages by status. */
const TITLES: Record<number, string> = {
  401: "You are not signed in",
  403: "Not allowed",
  404: "Nothing here",
  421: "Not at this address",
  429: "One moment",
  500: "Something went wrong",
  503: "Not available right now",
  507: "No space left",
};

/** Whether the response to an error is a page rather than JSON. */
const wantsErrorPage = ({ url, headers }: FastifyRequest): boolean =>
  wantsPage(headers) && !PROGRAM_PATHS.test(url);

/** Returns the number of seconds in the `Retry-After` header of the response, or 0 if it has none. */
export const retryAfterOf = (reply: FastifyReply): number => Number(reply.getHeader("retry-after") ?? 0);

/** Renders how many seconds to wait, and a link back to the requested page. */
export const retryLink = (wait: number, to: string): Html =>
  html`<p>Wait ${wait > 1 ? `${wait} seconds` : "a moment"}, then go on.</p><a class="button" href="${to}">Try again</a>`;

/** The statuses of errors after which a later retry can succeed. */
const TEMPORARY = [429, 503];

/**
 * Sends the error page of a Refusal, with links to the home page and the documentation, and a link to retry if a retry can help. From status 500 on, the page
 * shows the request id, by which operators find the request in the log. `origin` is the origin of the service.
 */
function sendErrorPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, message }: Refusal,
  origin: string,
): FastifyReply {
  const title = TITLES[status] ?? "That did not work";
  // The path begins with exactly one slash, because a browser would read the text after `//` as a host name.
  const samePage = request.originalUrl.replace(/^\/*/, "/");
  const again = TEMPORARY.includes(status) && ["GET", "HEAD"].includes(request.method);
  return sendPage(reply, {
    title,
    narrow: true,
    body: html`<h1>${title}</h1><p>${message}</p>${again ? retryLink(retryAfterOf(reply), samePage) : null}
      <footer class="links">${status < 500 ? null : html`<p>Request ${request.id}</p>`}
      <a href="${origin}/">Your canvases</a><a href="${origin}/docs">Documentation</a></footer>`,
  });
}

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
  env: Env,
): FastifyReply {
  const { status, body, headers } = refusal;
  const { base } = env;
  if (headers.location === undefined) {
    env.metrics.refusals.add(1, countedCode(refusal));
    logRefusal(refusal, request, env);
  }
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

/** Returns the code under which an error is counted. */
const countedCode = ({ code, status }: Refusal): string =>
  code ?? (status === 401 ? "NOT_AUTHENTICATED" : "OTHER");

/**
 * Converts an error to the response that it gets, and logs it if it is a fault of the service. A `Refusal` is returned as it is; an
 * unavailable store or bus becomes 503, a full disk 507, a 4xx error of Fastify keeps its status, and any other error becomes 500.
 */
export function refusalOf(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  { log }: Pick<Env, "log">,
): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof Unavailable) {
    log.warn({ ...logIds(request), why: String(error.cause ?? "") || undefined }, error.message);
    return fallbackRefusal("UNAVAILABLE");
  }
  if (isFull(error)) {
    log.error({ ...logIds(request), why: String(error) }, "no disk space is left for a request");
    return fallbackRefusal("INSUFFICIENT_STORAGE");
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
  return fallbackRefusal("INTERNAL_ERROR");
}

const fallbackRefusal = (code: ErrorCode) =>
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
