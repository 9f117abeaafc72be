import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { hasArrived, type ReadOptions, readBody, streamBody } from "../http/body.ts";
import { runtimeRest } from "../http/canvas-path.ts";
import type { Query } from "../http/query.ts";
import { clientSignal } from "../http/sockets.ts";
import type { Input, Message } from "./operation.ts";
import type { ByteSource } from "./operation-body.ts";

/** The body of an HTTP request. */
export class RequestBody implements ByteSource {
  readonly #request: IncomingMessage;
  /** The bytes, once they are asked for, so that a call that is tried again gets them again. */
  #bytes: Promise<Buffer> | undefined;

  constructor(request: IncomingMessage) {
    this.#request = request;
  }

  get type(): string | undefined {
    return this.#request.headers["content-type"];
  }

  get size(): number {
    return Number(this.#request.headers["content-length"] ?? 0);
  }

  get complete(): boolean {
    return hasArrived(this.#request);
  }

  get absent(): boolean {
    return this.#request.headers["transfer-encoding"] === undefined && this.size === 0;
  }

  read(limit: number, tooLarge: () => never, options?: ReadOptions): Promise<Buffer> {
    this.#bytes ??= readBody(this.#request, limit, tooLarge, options);
    return this.#bytes;
  }

  stream(): AsyncGenerator<Buffer> {
    return streamBody(this.#request);
  }
}

/** What an HTTP request gives to an operation. It is its own message, and makes the body when an operation asks for it. */
export class RequestInput implements Input, Message {
  readonly params: Record<string, string>;
  readonly query: Query;
  readonly signal: Input["signal"];
  readonly #request: IncomingMessage;
  #body: RequestBody | undefined;

  constructor({ params, query, raw }: FastifyRequest, reply: FastifyReply) {
    this.params = params as Record<string, string>;
    this.query = query as Query;
    this.signal = clientSignal(raw, reply.raw);
    this.#request = raw;
  }

  get body(): ByteSource {
    this.#body ??= new RequestBody(this.#request);
    return this.#body;
  }

  get message(): Message {
    return this;
  }

  get method(): string {
    return this.#request.method ?? "";
  }

  get target(): string {
    return runtimeRest(this.#request.url ?? "") ?? "";
  }

  get headers(): IncomingHttpHeaders {
    return this.#request.headers;
  }

  get rawHeaders(): readonly string[] {
    return this.#request.rawHeaders;
  }
}
