import assert from "node:assert/strict";
import { once } from "node:events";
import type { ClientRequest, IncomingMessage } from "node:http";
import type { ChatEvent } from "@easel/protocol/ai";
import type { Stage } from "../fixture.ts";
import { type Header, start } from "../http.ts";
import { JSON_TYPE, pageHeaders } from "../page.ts";
import type { Person, Target } from "../target.ts";
import { eventIn } from "./chat.ts";

/**
 * Sends a chat request from the page of a canvas on a new connection. Returns the request immediately, without waiting for the response.
 */
export function begin(target: Target, { slug }: Stage, person: Person, body: object): ClientRequest {
  const text = JSON.stringify(body);
  const length: Header = ["Content-Length", String(Buffer.byteLength(text))];
  const headers = [...person.headers, ...pageHeaders(target, slug), JSON_TYPE, length];
  const request = start(target.base, { method: "POST", path: `/v1/c/${slug}/ai/chat`, headers }, false);
  // Destroying a request before its response is an error.
  request.on("error", () => {});
  request.end(text);
  return request;
}

/**
 * The events of a response to a chat request. Each call of `next` returns one event, and reads from the connection only if it needs more
 * data.
 */
export interface Stream {
  next(): Promise<ChatEvent>;
  /** Closes the connection. */
  close(): void;
}

/**
 * Sends a chat request from the page of a canvas, and waits for the headers of the response. Returns an object that reads the events of the
 * response.
 */
export async function stream(target: Target, canvas: Stage, person: Person, body: object): Promise<Stream> {
  const request = begin(target, canvas, person, body);
  const [response] = (await once(request, "response")) as [IncomingMessage];
  assert.equal(response.statusCode, 200);
  const chunks = response.setEncoding("utf8").iterator({ destroyOnReturn: false });
  let text = "";
  return {
    async next() {
      for (;;) {
        const end = text.indexOf("\n\n");
        const event = end < 0 ? null : eventIn(text.slice(0, end));
        if (end >= 0) text = text.slice(end + 2);
        if (event !== null) return event;
        if (text.includes("\n\n")) continue;
        const { value, done } = await chunks.next();
        assert.ok(!done, "the stream goes on");
        text += value;
      }
    },
    close: () => void request.destroy(),
  };
}
