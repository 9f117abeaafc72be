import type { FastifyRequest } from "fastify";
import { readBody } from "../http/body.ts";
import { refuseOAuth } from "./oauth-error.ts";

const MAX_FORM_BYTES = 8 * 1024;

/** Reads a form. Throws the error `invalid_request` if the body is not a form, is too large, or repeats a field (RFC 6749, section 3.2). */
export async function readForm(request: FastifyRequest): Promise<ReadonlyMap<string, string>> {
  const type = (request.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase();
  if (type !== "application/x-www-form-urlencoded")
    refuseOAuth("invalid_request", "The body must be a form: application/x-www-form-urlencoded.");
  const body = await readBody(request.raw, MAX_FORM_BYTES, () =>
    refuseOAuth("invalid_request", `The form is larger than ${MAX_FORM_BYTES} bytes.`, 413),
  );
  const entries = [...new URLSearchParams(body.toString("utf8"))].filter(([, value]) => value !== "");
  const form = new Map(entries);
  if (form.size < entries.length) refuseOAuth("invalid_request", "A field of the form is repeated.");
  return form;
}
