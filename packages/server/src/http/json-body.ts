import type { IncomingMessage } from "node:http";
import { LIMITS } from "@easel/protocol/limits";
import type { ZodType } from "zod";
import type { Env } from "../env.ts";
import { parseJson, readBody, refuseLargeBody } from "./body.ts";
import { ValueCount } from "./json-size.ts";
import { refuse } from "./refusal.ts";
import { validate } from "./validate.ts";

/** The size in bytes from which a body is parsed in a turn of the event loop without other such bodies. */
const LARGE_BYTES = 64 * 1024;

/**
 * Reads and validates a JSON body of the management API. Throws 400 `INVALID_BODY` with a message that lists the first faults, and 413
 * `BODY_TOO_LARGE` if the body is longer than `limit` bytes.
 */
export async function readJson<Body>(
  request: IncomingMessage,
  schema: ZodType<Body>,
  { turns }: Pick<Env, "turns">,
  limit: number = LIMITS.managementBodyBytes.value,
): Promise<Body> {
  const type = request.headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") refuse("INVALID_BODY", { message: "The body must be application/json." });
  const tooLarge = () => refuseLargeBody(limit);
  const bytes = await readBody(request, limit, tooLarge, { inspect: new ValueCount().add });
  const parse = () => validate(parseJson(bytes), schema);
  return bytes.length < LARGE_BYTES ? parse() : turns.alone(parse);
}
