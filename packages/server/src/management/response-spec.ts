import type { Readable } from "node:stream";
import type { ZodType } from "zod";

/**
 * What an act (an operation of the management API) returns on success. `schema` is the schema of the JSON body, or null if the response has
 * no JSON body.
 */
export interface ResponseSpec<Body> {
  status: 200 | 201 | 204;
  schema: ZodType<Body> | null;
  /** The media type of the body, if the body is a `Download`. */
  type?: string;
}

/** A response body that is streamed to the client, with its headers. */
export class Download {
  readonly headers: Record<string, string>;
  readonly stream: Readable;

  constructor(headers: Record<string, string>, stream: Readable) {
    this.headers = headers;
    this.stream = stream;
  }
}

export const ok = <Body>(schema: ZodType<Body>): ResponseSpec<Body> => ({ status: 200, schema });
export const created = <Body>(schema: ZodType<Body>): ResponseSpec<Body> => ({ status: 201, schema });
export const noContent: ResponseSpec<undefined> = { status: 204, schema: null };
export const download = (type: string): ResponseSpec<Download> => ({ status: 200, schema: null, type });
