import createClient from "openapi-fetch";
import type { paths } from "../../../cli/dist-types/management-api.d.ts";
import { ApiError, errorOf, SignedOut } from "./api-error.ts";
import { noteSignedOut } from "./session.ts";

/** Whether a response asks for a sign-in: 401, a redirect to a sign-in page, or such a page from a proxy. A stored file is none. */
function asksForSignIn({ status, type, ok, headers }: Response): boolean {
  if (status === 401 || type === "opaqueredirect") return true;
  const isPage = (headers.get("content-type") ?? "").startsWith("text/html");
  return ok && isPage && !headers.has("content-disposition");
}

/**
 * Sends a request to the service. Returns its response, also if that is an error, or null if the session has ended.
 * @throws what `fetch` throws.
 */
export async function ask(request: Request | string, init: RequestInit = {}): Promise<Response | null> {
  // With OpenID Connect, the service redirects a caller without a session.
  const response = await fetch(request, { ...init, redirect: "manual" });
  if (asksForSignIn(response)) {
    noteSignedOut();
    return null;
  }
  return response;
}

/**
 * Sends a request to the service. Returns its response if that is a success.
 * @throws {SignedOut} if the session has ended, otherwise an `ApiError`.
 */
export async function send(request: Request | string, init: RequestInit = {}): Promise<Response> {
  let response: Response | null;
  try {
    response = await ask(request, init);
  } catch (error) {
    if ((error as Error).name === "AbortError") throw error;
    throw new ApiError(0, {});
  }
  if (response === null) throw new SignedOut();
  if (!response.ok) throw await errorOf(response);
  return response;
}

/** A typed client of the management API. Its calls throw as `send` does. */
export const api = createClient<paths>({ baseUrl: location.origin, fetch: (request) => send(request) });

/** Returns the body of a successful response of `api`. */
export async function bodyOf<Body>(response: Promise<{ data?: Body }>): Promise<NonNullable<Body>> {
  return (await response).data as NonNullable<Body>;
}
