import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";
import type { Answer, Request } from "@easel/conformance/http";
import type { Person } from "@easel/conformance/target";
import { beginRequest } from "./begin-request.ts";

/** The channel on which Node announces each request whose head has been received. */
const REQUEST_START = "http.server.request.start";

/**
 * How far the service must be with a request before its body goes on: it has received the head, or it waits for the body, after all checks that
 * come before.
 */
type Stage = "head" | "body";

/** Resolves when a service of this process is that far with the next request to a path. */
const nextRequest = (path: string, stage: Stage): Promise<void> =>
  new Promise((resolve) => {
    const listen = (message: unknown) => {
      const { request } = message as { request: IncomingMessage };
      if (request.url !== path) return;
      unsubscribe(REQUEST_START, listen);
      if (stage === "head") resolve();
      else request.on("newListener", (event) => ["data", "readable"].includes(String(event)) && resolve());
    };
    subscribe(REQUEST_START, listen);
  });

/**
 * Begins a request whose body arrives late: sends its head and the first byte of its body, and resolves when the service is as far as `stage`
 * says. Returns the function that sends the rest of the body and returns the answer.
 */
export async function beginLate(
  base: string,
  person: Pick<Person, "headers">,
  { body = "", ...request }: Request,
  stage: Stage,
): Promise<() => Promise<Answer>> {
  const bytes = Buffer.from(body);
  const reached = nextRequest(request.path, stage);
  const { sent, answer } = beginRequest(base, person, { ...request, body: bytes }, 1);
  await reached;
  return () => {
    sent.end(bytes.subarray(1));
    return answer;
  };
}
