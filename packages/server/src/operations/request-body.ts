import type { IncomingMessage } from "node:http";
import { type ReadOptions, readBody, streamBody } from "../http/body.ts";
import type { ByteSource } from "./operation-body.ts";

/** The body of an HTTP request. */
export class RequestBody implements ByteSource {
  readonly #request: IncomingMessage;

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
    return this.#request.complete;
  }

  get absent(): boolean {
    return this.#request.headers["transfer-encoding"] === undefined && this.size === 0;
  }

  read(limit: number, tooLarge: () => never, options?: ReadOptions): Promise<Buffer> {
    return readBody(this.#request, limit, tooLarge, options);
  }

  stream(): AsyncGenerator<Buffer> {
    return streamBody(this.#request);
  }
}
