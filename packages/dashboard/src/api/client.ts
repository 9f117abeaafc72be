import createClient from "openapi-fetch";
import type { paths } from "../../../cli/dist-types/management-api.d.ts";
import { ApiError, errorOf, SignedOut } from "./api-error.ts";
import { noteSignedOut } from "./session.ts";

/** Whether a response asks for a sign-in: 401, a redirect to a sign-in page, or such a page from a proxy. */
function asksForSignIn(response: Response): boolean {
  if (response.status === 401 || response.type === "opaqueredirect") return true;
  return response.ok && (response.headers.get("content-type") ?? "").startsWith("text/html");
}

/**
 * Sends a request to the service. Returns its response if that is a success.
 * @throws {SignedOut} if the session has ended, otherwise an `ApiError`.
 */
export async function send(request: Request | string, init: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    // With OpenID Connect, the service redirects a caller without a session.
    response = await fetch(request, { ...init, redirect: "manual" });
  } catch (error) {
    if ((error as Error).name === "AbortError") throw error;
    throw new ApiError(0, {});
  }
  if (asksForSignIn(response)) {
    noteSignedOut();
    throw new SignedOut();
  }
  if (!response.ok) throw await errorOf(response);
  return response;
}

/** A typed client of the management API. Its calls throw as `send` does. */
export const api = createClient<paths>({ baseUrl: location.origin, fetch: (request) => send(request) });

/** Returns the body of a successful response of `api`. */
export async function bodyOf<Body>(response: Promise<{ data?: Body }>): Promise<NonNullable<Body>> {
  return (await response).data as NonNullable<Body>;
}
