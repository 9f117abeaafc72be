import type { IncomingMessage } from "node:http";
import type { ZodType } from "zod";
import type { Env } from "../env.ts";
import { readJson } from "../http/json-body.ts";
import type { Call } from "./call.ts";

/** The request body of an act. */
export interface BodySpec<Body> {
  /** The media types, for the docs. */
  type: "application/json" | "application/zip, text/html" | "application/octet-stream";
  optional: boolean;
  /** The schema of a JSON body; null for other types. */
  schema: ZodType | null;
  /** Reads and parses the body and does the other slow work of the act. Throws 400 `INVALID_BODY` for an invalid body. */
  read(call: Call, env: Env): Promise<Body>;
}

/** Returns the spec of a JSON body with a schema, of at most `limit` bytes. */
export const json = <Body>(schema: ZodType<Body>, limit?: number): BodySpec<Body> => ({
  type: "application/json",
  optional: false,
  schema,
  read: ({ request }) => readJson(request, schema, limit),
});

/** Returns the spec of a JSON body with a schema, which slow work, such as hashing a password, prepares after parsing. */
export const preparedJson = <Given, Body>(
  schema: ZodType<Given>,
  prepare: (given: Given, env: Env) => Promise<Body>,
): BodySpec<Body> => ({
  ...json(schema),
  read: async ({ request }, env) => prepare(await readJson(request, schema), env),
});

const isAbsent = ({ headers }: IncomingMessage) =>
  headers["transfer-encoding"] === undefined && Number(headers["content-length"] ?? 0) === 0;

/** Returns the spec of an optional JSON body with a schema. An absent body counts as `{}`. */
export const optionalJson = <Body>(schema: ZodType<Body>): BodySpec<Body> => ({
  ...json(schema),
  optional: true,
  read: async ({ request }) => (isAbsent(request) ? schema.parse({}) : readJson(request, schema)),
});
