import type { Json } from "@easel/protocol/types";
import type { ZodType, z } from "zod";
import type { Env } from "../env.ts";
import { parseJson, type ReadOptions } from "../http/body.ts";
import type { Query } from "../http/query.ts";
import type { ErrorCase } from "../http/refusal.ts";
import { validate } from "../http/validate.ts";

/** A body whose bytes may still be arriving. */
export interface ByteSource {
  /** The media type with its parameters, such as `multipart/form-data; boundary=…`. */
  readonly type: string | undefined;
  /** The number of bytes that the sender has announced, 0 if it has announced none. */
  readonly size: number;
  /** Whether all bytes are there, so that reading them waits for nobody. */
  readonly complete: boolean;
  /** Whether the sender has announced that there are no bytes. */
  readonly absent: boolean;
  /** Reads all bytes. Rejects with the error that `tooLarge` throws if there are more than `limit`. */
  read(limit: number, tooLarge: () => never, options?: ReadOptions): Promise<Buffer>;
  stream(): AsyncGenerator<Buffer>;
}

/** The body that a caller gives: bytes, or the value itself if the caller is in the same process. */
export type GivenBody = ByteSource | { readonly value: unknown };

/** Describes a body for the docs and the OpenAPI document. */
export interface BodyDescription {
  type: string;
  schema: ZodType;
  /** The media types of the parts of a multipart form, by name. A part that is not listed is `text/plain`. */
  parts?: Record<string, string>;
  optional?: true;
  /** Whether receiving the body can take long after its last byte, for example because it is stored. */
  slow?: true;
  /** Whether there must be no body. */
  none?: true;
  /** The error of a body that is too large, if it is not 400 `INVALID_BODY`. */
  tooLarge?: ErrorCase;
}

/** The caller of an operation with a body, and what they have given besides it. */
export interface Sender<Caller> {
  caller: Caller;
  params: Record<string, string>;
  query: Query;
  signal(): AbortSignal;
}

/** The body of an operation: its description, and how it is read and validated. `Caller` stands for the type of the callers. */
export interface Body<Value, Caller> extends BodyDescription {
  /**
   * Receives the body and calls `use`. What reading the body holds, such as a temporary file, is held until `use` has finished. `parse`
   * validates what was read and returns the value; it throws a `Refusal` if the body is invalid.
   */
  receive<Result>(
    given: GivenBody,
    sender: Sender<Caller>,
    env: Env,
    use: (parse: () => Value) => Promise<Result>,
  ): Promise<Result>;
}

/** How a JSON body is read. */
export interface JsonOptions<Value> {
  /** The maximum number of bytes. */
  limit: number;
  /** Throws the error of a longer body. */
  tooLarge(): never;
  /** Converts the JSON value of the body. By default validates it with the schema. */
  accept?(json: Json): Value;
  /** Parses the bytes. By default throws 400 `INVALID_BODY` unless they are JSON. */
  decode?(bytes: Buffer): Json;
}

/** Returns the body with the JSON value that `schema` describes. */
export const jsonBody = <Schema extends ZodType, Value = z.output<Schema>>(
  schema: Schema,
  {
    limit,
    tooLarge,
    accept = (json) => validate(json, schema) as Value,
    decode = parseJson,
  }: JsonOptions<Value>,
): Body<Value, unknown> => ({
  type: "application/json",
  schema,
  async receive(given, _sender, { turns }, use) {
    if ("value" in given) return use(() => accept(given.value as Json));
    const bytes = await given.read(limit, tooLarge, { turns });
    return use(() => accept(decode(bytes)));
  },
});
