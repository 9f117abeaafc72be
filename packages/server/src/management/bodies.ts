import type { ZodType } from "zod";
import type { User } from "../access/principal.ts";
import type { Env } from "../env.ts";
import { readJson } from "../http/body.ts";
import { printable } from "../http/field-schemas.ts";
import { type ErrorCase, refuse } from "../http/refusal.ts";
import { validate } from "../http/validate.ts";
import type { Body, ByteSource, GivenBody, Sender } from "../operations/operation-body.ts";
import type { ActCaller } from "./callers.ts";

/** The body of an act (an operation of the management API). */
export type ActBody<Value> = Body<Value, ActCaller>;

/** Returns the value of a JSON body, which is validated. */
const jsonValue = async <Value>(
  given: GivenBody,
  schema: ZodType<Value>,
  { user }: ActCaller,
  env: Env,
  limit?: number,
): Promise<Value> =>
  "value" in given ? validate(given.value, schema) : readJson(given, schema, user.id, env, limit);

/** Describes a JSON body that must match a schema and have at most `limit` bytes. */
export const json = <Value>(schema: ZodType<Value>, limit?: number): ActBody<Value> => ({
  type: "application/json",
  schema,
  tooLarge: "BODY_TOO_LARGE",
  async receive(given, { caller }, env, use) {
    const value = await jsonValue(given, schema, caller, env, limit);
    return use(() => value);
  },
});

/** Describes a JSON body that must match a schema. `prepare` then does slow work on the parsed body, such as hashing a password. */
export const preparedJson = <Given, Value>(
  schema: ZodType<Given>,
  prepare: (given: Given, user: User, env: Env) => Promise<Value>,
): ActBody<Value> => ({
  ...json(schema),
  slow: true,
  async receive(given, { caller }, env, use) {
    const value = await prepare(await jsonValue(given, schema, caller, env), caller.user, env);
    return use(() => value);
  },
});

/** Describes an optional JSON body that must match a schema. An absent body counts as `{}`. */
export const optionalJson = <Value>(schema: ZodType<Value>): ActBody<Value> => ({
  ...json(schema),
  optional: true,
  async receive(given, { caller }, env, use) {
    const isAbsent = "value" in given ? given.value === undefined : given.absent;
    const value = isAbsent ? schema.parse({}) : await jsonValue(given, schema, caller, env);
    return use(() => value);
  },
});

/** Why an administrator does something, in a sentence. */
export const reason = printable.trim().max(500).optional();

/** The media types of an upload, the schema for the OpenAPI document, and the error of a body that is too large. */
interface UploadType {
  type: "application/zip" | "application/zip, text/html" | "application/octet-stream" | "multipart/form-data";
  schema: ZodType;
  tooLarge?: ErrorCase;
}

/**
 * Describes a body that `store` stores while it arrives. A limited number of such bodies of a person are read at once; further ones wait
 * unread.
 */
export const upload = <Value>(
  description: UploadType,
  store: (bytes: ByteSource, sender: Sender<ActCaller>, env: Env) => Promise<Value>,
): ActBody<Value> => ({
  ...description,
  slow: true,
  async receive(given, sender, env, use) {
    if ("value" in given) return refuse("INVALID_BODY", { message: "The body must be bytes." });
    const { caller, signal } = sender;
    const value = await env.uploads.run(caller.user.id, () => store(given, sender, env), signal());
    return use(() => value);
  },
});
