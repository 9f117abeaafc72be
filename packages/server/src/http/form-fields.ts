import type { FastifyRequest } from "fastify";
import { readBody, refuseLargeBody } from "./body.ts";

/** The maximum size of a form in bytes. */
export const MAX_FORM_BYTES = 8 * 1024;

/** Reads the fields of a form, whatever its type says. Rejects with the error that `tooLarge` throws, by default 413 `BODY_TOO_LARGE`. */
export async function readFields(
  { raw }: FastifyRequest,
  tooLarge: () => never = () => refuseLargeBody(MAX_FORM_BYTES),
): Promise<URLSearchParams> {
  const body = await readBody(raw, MAX_FORM_BYTES, tooLarge);
  return new URLSearchParams(body.toString("utf8"));
}
