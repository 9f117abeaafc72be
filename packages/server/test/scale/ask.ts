import http from "node:http";
import { pageHeaders, runtimePath } from "@easel/conformance/page";
import type { Person, Target } from "@easel/conformance/target";

/** After this time without an answer a client gives up: whether its request took effect is unknown. */
const GIVE_UP_MS = 5_000;

export interface Answer {
  status: number;
  /** The body, one character for each byte. */
  text: string;
}

const agent = new http.Agent({ keepAlive: true });

/** Closes the connections that are kept for further requests. */
export const closeConnections = () => agent.destroy();

/** Sends a request with a body: bytes with their type, or JSON. Resolves with undefined if there was no whole answer in time. */
export function ask(
  { base }: Target,
  { headers }: Person,
  method: string,
  path: string,
  body?: unknown,
  type = "application/json",
): Promise<Answer | undefined> {
  const bytes = body === undefined || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  return new Promise((resolve) => {
    const request = http.request(`${base}${path}`, {
      method,
      agent,
      signal: AbortSignal.timeout(GIVE_UP_MS),
      headers: {
        ...Object.fromEntries(headers),
        ...(bytes === undefined ? {} : { "content-type": type, "content-length": Buffer.byteLength(bytes) }),
      },
    });
    request.on("error", () => resolve(undefined));
    request.on("response", (response) => {
      let text = "";
      response.setEncoding("latin1").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("error", () => resolve(undefined));
      response.on("close", () =>
        resolve(response.complete ? { status: response.statusCode ?? 0, text } : undefined),
      );
    });
    request.end(bytes);
  });
}

/** Sends a request as the page of a canvas. */
export const askPage = (
  target: Target,
  slug: string,
  person: Person,
  method: string,
  path: string,
  body?: unknown,
  type?: string,
): Promise<Answer | undefined> =>
  ask(
    target,
    { ...person, headers: [...person.headers, ...pageHeaders(target, slug)] },
    method,
    runtimePath(target, slug) + path,
    body,
    type,
  );
