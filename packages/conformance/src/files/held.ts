import type { ClientRequest } from "node:http";
import { manage, type Stage } from "../fixture.ts";
import { type Answer, type Header, read, start } from "../http.ts";
import { pageHeaders, runtimePath } from "../page.ts";
import type { Person, Target } from "../target.ts";
import { FORM_TYPE, formOf, type Place } from "./form.ts";

/** The number of bytes at the end of an upload that are not sent at first. */
const HELD_BACK = 100;

/** An upload of which only the beginning has been sent. */
export interface Held {
  /** Sends the rest of the upload and returns the response. */
  finish(): Promise<Answer>;
  /**
   * Waits for the error response that the service sends before it has received the whole upload. Then closes the connection and returns the
   * response.
   */
  refusal(): Promise<Answer>;
}

/** Starts to upload a file of `size` bytes: sends everything except the last `HELD_BACK` bytes of the body. */
export async function hold(
  target: Target,
  { slug }: Stage,
  person: Person,
  fields: Record<string, string>,
  size = 4 * HELD_BACK,
  place: Place = "last",
): Promise<Held> {
  const body = formOf(fields, { name: "held.txt", bytes: Buffer.alloc(size, "x") }, place);
  const headers: Header[] = [["Content-Length", String(body.length)]];
  const request = open(target, slug, person, headers);
  const answer = answerTo(request);
  const end = body.length - HELD_BACK;
  await new Promise<void>((sent) => request.write(body.subarray(0, end), () => sent()));
  // Waits for the responses to three later requests, so that the service has admitted the upload by then.
  for (let each = 0; each < 3; each++) await manage(target, person, "GET", "/api/me");
  return {
    finish() {
      request.end(body.subarray(end));
      return answer;
    },
    async refusal() {
      const refusal = await answer;
      request.destroy();
      return refusal;
    },
  };
}

/**
 * Sends the headers of an upload and the first bytes of its body, but not the rest. Returns the response, which the service must send
 * without waiting for the rest.
 */
export async function announce(
  target: Target,
  { slug }: Stage,
  person: Person,
  headers: Header[],
  beginning: Buffer,
): Promise<Answer> {
  const request = open(target, slug, person, headers);
  request.write(beginning);
  const answer = await answerTo(request);
  request.destroy();
  return answer;
}

function open(target: Target, slug: string, person: Person, headers: Header[]): ClientRequest {
  const type: Header = ["Content-Type", FORM_TYPE];
  return start(
    target.base,
    {
      method: "POST",
      path: `${runtimePath(target, slug)}/files`,
      headers: [...person.headers, ...pageHeaders(target, slug), type, ...headers],
    },
    false,
  );
}

function answerTo(request: ClientRequest): Promise<Answer> {
  return new Promise<Answer>((resolve, reject) => {
    request.on("response", (response) => read(response).then(resolve, reject));
    request.on("timeout", () => request.destroy(new Error("no answer to the beginning of an upload")));
    request.on("error", reject);
  });
}
