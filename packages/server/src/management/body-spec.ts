import type { IncomingMessage } from "node:http";
import type { ZodType } from "zod";
import type { User } from "../access/principal.ts";
import type { Env } from "../env.ts";
import type { ErrorCase } from "../http/error-case.ts";
import { readJson } from "../http/json-body.ts";
import { validate } from "../http/validate.ts";
import type { Call } from "./call.ts";

/** Describes the request body of an act (an operation of the management API), and reads it. */
export interface BodySpec<Body> {
  /** The accepted media types, for the docs. */
  type: "application/json" | "application/zip" | "application/zip, text/html" | "application/octet-stream";
  optional: boolean;
  /** The schema of a JSON body; null for other types. */
  schema: ZodType | null;
  /** The error of a body that is too large, if it is not 400 `INVALID_BODY`. */
  tooLarge?: ErrorCase | undefined;
  /** Reads and parses the body, and does other slow work, such as storing an upload. Throws 400 `INVALID_BODY` for an invalid body. */
  read(call: Call, env: Env): Promise<Body>;
}

/** Returns the body of a call, which is validated; reads it unless `given` has its value already. */
const read = async <Body>(
  { request, given }: Call,
  schema: ZodType<Body>,
  env: Env,
  limit?: number,
): Promise<Body> => (given === undefined ? readJson(request, schema, env, limit) : validate(given, schema));

/** Describes a JSON body that must match a schema and have at most `limit` bytes. */
export const json = <Body>(schema: ZodType<Body>, limit?: number): BodySpec<Body> => ({
  type: "application/json",
  optional: false,
  schema,
  tooLarge: "BODY_TOO_LARGE",
  read: (call, env) => read(call, schema, env, limit),
});

/** Describes a JSON body that must match a schema. `prepare` then does slow work on the parsed body, such as hashing a password. */
export const preparedJson = <Given, Body>(
  schema: ZodType<Given>,
  prepare: (given: Given, user: User, env: Env) => Promise<Body>,
): BodySpec<Body> => ({
  ...json(schema),
  read: async (call, env) => prepare(await read(call, schema, env), call.user, env),
});

/**
 * Describes a body that `read` stores while it arrives. A limited number of such bodies of a person are read at once; further ones wait
 * unread. `tooLarge` is the error that `read` throws for a body that is too large.
 */
export const upload = <Body>(
  type: BodySpec<Body>["type"],
  read: BodySpec<Body>["read"],
  tooLarge?: ErrorCase,
): BodySpec<Body> => ({
  type,
  optional: false,
  schema: null,
  tooLarge,
  read: (call, env) => env.uploads.run(call.user.id, () => read(call, env), call.signal()),
});

const isAbsent = ({ headers }: IncomingMessage) =>
  headers["transfer-encoding"] === undefined && Number(headers["content-length"] ?? 0) === 0;

/** Describes an optional JSON body that must match a schema. An absent body counts as `{}`. */
export const optionalJson = <Body>(schema: ZodType<Body>): BodySpec<Body> => ({
  ...json(schema),
  optional: true,
  read: async (call, env) =>
    call.given === undefined && isAbsent(call.request) ? schema.parse({}) : read(call, schema, env),
});
