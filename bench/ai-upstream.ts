import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/*
 * A provider of AI for the benchmark, in OpenAI's streaming format: `node ai-upstream.ts <deltas> <ms>`. Each response has this many deltas
 * at this interval. The text of a delta is the time at which it is sent, as `@<ms since the epoch>;`.
 */
const [deltas, everyMs] = process.argv.slice(2).map(Number) as [number, number];

const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "bench", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const END = `${chunk({}, "stop")}data: ${JSON.stringify({
  id: "1",
  object: "chat.completion.chunk",
  created: 1,
  model: "bench",
  choices: [],
  usage: { prompt_tokens: 10, completion_tokens: deltas, total_tokens: 10 + deltas },
})}\n\ndata: [DONE]\n\n`;

const server = createServer((request, response) => {
  request.resume().on("end", () => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(chunk({ role: "assistant", content: "" }));
    let sent = 0;
    const timer = setInterval(() => {
      response.write(chunk({ content: `@${(performance.timeOrigin + performance.now()).toFixed(3)};` }));
      if (++sent < deltas) return;
      clearInterval(timer);
      response.end(END);
    }, everyMs);
    response.once("close", () => clearInterval(timer));
  });
});
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`at http://localhost:${(server.address() as AddressInfo).port}\n`);
});
