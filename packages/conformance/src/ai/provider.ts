import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { anthropicWire } from "./anthropic-wire.ts";
import { openaiWire } from "./openai-wire.ts";
import { type Step, stepsIn, USAGE } from "./script.ts";

/*
 * A stand-in for AI providers: `node provider.ts [port]` prints its address. It speaks Anthropic's Messages and OpenAI's Chat Completions,
 * and plays the steps that the newest user message asks for (script.ts). `GET /log?mark=` returns what it received.
 */

/** A request that the stand-in for the AI provider has received, as its route `GET /log` returns it. */
export interface Received {
  path: string;
  headers: Record<string, unknown>;
  body: Body;
  /** The number of pieces of text that the provider has sent in the response. */
  sent: number;
  /**
   * `played` if the provider has sent the whole response, `closed` if the client closed the connection before that. Null while the provider
   * is responding.
   */
  ended: "played" | "closed" | null;
}

interface Body {
  model: string;
  messages: { role: string; content: string | { text: string }[] }[];
  [field: string]: unknown;
}

const log: { mark: string; received: Received }[] = [];

const textOf = (content: string | { text: string }[]) =>
  typeof content === "string" ? content : content.map(({ text }) => text).join("");

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return text;
}

/** Writes text to the response. If the write buffer is full, waits until the client has read the buffered text or closed the connection. */
async function write(response: ServerResponse, text: string): Promise<void> {
  if (response.write(text) || response.destroyed) return;
  const waiting = new AbortController();
  const { signal } = waiting;
  await Promise.race([once(response, "drain", { signal }), once(response, "close", { signal })]);
  // Removes the listeners of the event that has not come.
  waiting.abort();
}

async function playSteps(steps: Step[], received: Received, response: ServerResponse): Promise<void> {
  const ending = steps.find((step) => "end" in step);
  const usage = { ...USAGE, ...ending?.end };
  const wire = received.path.endsWith("/messages")
    ? anthropicWire(received.body.model, usage)
    : openaiWire(received.body.model, usage);
  const begin = async () => {
    if (response.headersSent) return;
    response.writeHead(200, { "content-type": "text/event-stream" });
    await write(response, wire.begin());
  };
  for (const step of steps) {
    if (response.destroyed) return;
    if ("status" in step) {
      response.writeHead(step.status, { "content-type": "application/json", ...step.headers });
      response.end(step.body ?? '{"error":{"type":"api_error","message":"a secret of the provider"}}');
    } else if ("wait" in step) await sleep(step.wait);
    else if ("hang" in step) await once(response, "close");
    else {
      await begin();
      if ("cut" in step) {
        // What was written before the cut is to arrive.
        await sleep(20);
        response.socket?.resetAndDestroy();
      } else if ("raw" in step) await write(response, step.raw);
      else if ("error" in step) await write(response, wire.error(step.error));
      else if ("think" in step) await write(response, wire.think(step.think));
      else if ("end" in step) {
        await write(response, wire.end(step.end !== null));
        response.end();
      } else
        for (let index = 0; index < (step.times ?? 1) && !response.destroyed; index++) {
          received.sent++;
          await write(response, wire.text(step.text));
          if (step.everyMs !== undefined) await sleep(step.everyMs);
        }
    }
  }
  if (!response.writableEnded && !response.destroyed) response.end();
}

const server = createServer(async (request, response) => {
  const url = new URL(request.url ?? "/", "http://provider");
  if (request.method === "GET" && url.pathname === "/log") {
    const mark = url.searchParams.get("mark");
    response.setHeader("content-type", "application/json");
    const found = log.filter((entry) => mark === null || entry.mark === mark);
    response.end(JSON.stringify(found.map(({ received }) => received)));
    return;
  }
  const body = JSON.parse(await bodyOf(request)) as Body;
  const newest = textOf(body.messages.findLast(({ role }) => role === "user")?.content ?? "");
  const mark = /"mark":"([^"]*)"/.exec(newest)?.[1] ?? "";
  const received: Received = { path: url.pathname, headers: request.headers, body, sent: 0, ended: null };
  log.push({ mark, received });
  response.once("close", () => {
    received.ended ??= "closed";
  });
  response.once("finish", () => {
    received.ended = "played";
  });
  await playSteps(stepsIn(newest), received, response);
});
// A connection that closes while a request is on its way on it would fail the request, which then counts as received.
server.keepAliveTimeout = 0;

server.listen(Number(process.argv[2] ?? 0), "127.0.0.1", () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
