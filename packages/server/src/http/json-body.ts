import type { IncomingMessage } from "node:http";
import { LIMITS } from "@easel/protocol/limits";
import { type ZodType, z } from "zod";
import { parseJson, readBody } from "./body.ts";
import { refuse } from "./refusal.ts";

/**
 * Reads and validates a JSON body of the management API. Throws 400 `INVALID_BODY` with a message that lists all faults, and 413 if the
 * body is longer than `limit` bytes.
 */
export async function readJson<Body>(
  request: IncomingMessage,
  schema: ZodType<Body>,
  limit: number = LIMITS.managementBodyBytes.value,
): Promise<Body> {
  const type = request.headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") refuse("INVALID_BODY", { message: "The body must be application/json." });
  const bytes = await readBody(request, limit, () =>
    refuse("INVALID_BODY", { message: "The body is too large." }, 413),
  );
  return validate(parseJson(bytes), schema);
}

/** Validates the value of a body. Throws 400 `INVALID_BODY` with a message that lists all faults. */
export function validate<Body>(value: unknown, schema: ZodType<Body>): Body {
  const result = schema.safeParse(value);
  return result.success ? result.data : refuse("INVALID_BODY", { message: z.prettifyError(result.error) });
}
