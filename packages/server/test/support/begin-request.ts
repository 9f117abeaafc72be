import type http from "node:http";
import { type Answer, type Header, type Request, read, start } from "@easel/conformance/http";
import type { Person } from "@easel/conformance/target";

/** A request that a test may end early. */
export interface BegunRequest {
  /** The connection of the client. The client leaves when a test destroys it. */
  sent: http.ClientRequest;
  answer: Promise<Answer>;
}

/** Sends a request of a person with the first `bytes` of its body. With fewer bytes than the body has, the service waits for the rest. */
export function beginRequest(
  base: string,
  person: Pick<Person, "headers">,
  { headers = [], body = "", ...request }: Request,
  bytes = Number.POSITIVE_INFINITY,
): BegunRequest {
  const length: Header = ["Content-Length", String(Buffer.byteLength(body))];
  const sent = start(base, { ...request, headers: [...person.headers, ...headers, length] }, false);
  const answer = new Promise<Answer>((resolve, reject) => {
    sent.on("response", (response) => read(response).then(resolve, reject)).on("error", reject);
  });
  // A test that ends the request does not wait for its answer.
  answer.catch(() => {});
  if (bytes >= Buffer.byteLength(body)) sent.end(body);
  else if (bytes > 0) sent.write(body.slice(0, bytes));
  else sent.flushHeaders();
  return { sent, answer };
}
