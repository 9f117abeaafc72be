import { type Exit, Failure } from "../exit.ts";
import { clean } from "../terminal/clean.ts";

/** The JSON body of an error response. Some errors have further fields, such as `currentVersion`. */
export interface ErrorBody {
  code?: string;
  message?: string;
  hint?: string;
  [field: string]: unknown;
}

const EXITS: Record<number, Exit> = { 401: "signedOut", 403: "denied", 404: "denied" };
const CONFLICTS = new Set(["VERSION_CONFLICT", "POLICY_CONFLICT"]);

/** An error response of the service. */
export class Refusal extends Failure {
  readonly status: number;
  /** The error code, such as `NOT_FOUND`. It is undefined if the response is not from the service but, for example, from a proxy. */
  readonly code: string | undefined;
  readonly body: ErrorBody;

  constructor(status: number, body: ErrorBody, hint?: string) {
    const { code, message } = body;
    super(clean(message ?? `The service answers with status ${status}.`), {
      exit: CONFLICTS.has(code ?? "") ? "conflict" : (EXITS[status] ?? "failed"),
      hint: hint ?? (body.hint === undefined ? undefined : clean(body.hint)),
    });
    this.status = status;
    this.code = code;
    this.body = body;
  }
}

/** Returns the error for a response. Treats a redirect as 401. `url` is the base URL of the service for the hint to sign in. */
export async function refusalOf(response: Response, url: string): Promise<Refusal> {
  const text = await response.text().catch(() => "");
  let body: ErrorBody = {};
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null) body = parsed as ErrorBody;
  } catch {
    // The body is not JSON: perhaps a proxy sent it, and only the status is known.
  }
  const isSignIn = response.status === 401 || (response.status >= 300 && response.status < 400);
  if (!isSignIn) return new Refusal(response.status, body);
  return new Refusal(
    401,
    { ...body, message: `You are not signed in at ${url}, or your token has ended.` },
    `Run \`easel login ${url}\`, or set EASEL_TOKEN.`,
  );
}
