import { manage } from "@easel/conformance/fixture";
import { type Answer, type Header, read, start } from "@easel/conformance/http";
import type { Person, Target } from "@easel/conformance/target";

/** A request whose body is sent only in part so far. */
export interface Held {
  /** Sends the rest of the body and returns the response. */
  finish(): Promise<Answer>;
}

/** Sends the head of a request and the first byte of its body. Resolves once the service has admitted it and waits for the rest. */
export async function holdBody(
  target: Target,
  person: Person,
  { method, path, body, type }: { method: string; path: string; body: Buffer; type: string },
): Promise<Held> {
  const headers: Header[] = [
    ...person.headers,
    ["Content-Type", type],
    ["Content-Length", String(body.length)],
  ];
  const request = start(target.base, { method, path, headers }, false);
  const answer = new Promise<Answer>((resolve, reject) => {
    request.on("response", (response) => resolve(read(response)));
    request.on("error", reject);
  });
  await new Promise<void>((sent) => request.write(body.subarray(0, 1), () => sent()));
  // These later requests take as many reads. Once they have responses, the service has admitted the request with the delayed body.
  for (let each = 0; each < 5; each++) await manage(target, person, "GET", "/api/canvases?limit=1");
  return {
    finish() {
      request.end(body.subarray(1));
      return answer;
    },
  };
}
