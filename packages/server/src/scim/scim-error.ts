import { Refusal } from "../http/refusal.ts";

const ERROR = "urn:ietf:params:scim:api:messages:2.0:Error";

/** The keywords of errors with status 400 and 409 (RFC 7644, section 3.12). */
type ScimType = "invalidFilter" | "invalidValue" | "invalidSyntax" | "invalidPath" | "uniqueness" | "tooMany";

/** Returns the response to a request that is refused, in the form of SCIM. */
export const scimError = (
  status: number,
  detail: string,
  scimType?: ScimType,
  headers: Record<string, string> = {},
): Refusal =>
  new Refusal(
    status,
    { schemas: [ERROR], status: String(status), detail, ...(scimType !== undefined && { scimType }) },
    headers,
  );

/** Throws a `scimError`. */
export function refuseScim(status: number, detail: string, scimType?: ScimType): never {
  throw scimError(status, detail, scimType);
}

/** Converts another refusal, such as that of a body that is no JSON, to the form of SCIM. */
export function asScimError(error: unknown): unknown {
  if (!(error instanceof Refusal) || error.body.schemas !== undefined) return error;
  const { status, body, headers } = error;
  return scimError(status, String(body.message ?? ""), status === 400 ? "invalidSyntax" : undefined, headers);
}
