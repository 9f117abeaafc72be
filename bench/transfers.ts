import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";

/** The input of this script, as JSON on its standard input: the file transfers to make to or from one server. */
export interface Transfers {
  port: number;
  method: "GET" | "POST";
  path: string;
  headers: Record<string, string>;
  /** The text that precedes the file in the body of a POST request. */
  before: string;
  /** The text that follows the file in the body of a POST request. */
  after: string;
  /** The size of the file in bytes. */
  size: number;
  count: number;
  atOnce: number;
}

/**
 * What the script has to do. At the end, the script prints the result as JSON: `megabytesPerSecond`, and in `last` the text of the last
 * POST response.
 */
const transfers: Transfers = JSON.parse(await text(process.stdin));
const { size, count, atOnce } = transfers;
const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
const content = Buffer.alloc(size, "easel bench of files ");

async function once(index: number): Promise<string> {
  const { port, method, path, headers, before, after } = transfers;
  const own = Buffer.from(`${index} ${process.pid} `.padEnd(32, "-"));
  const parts =
    method === "GET" ? [] : [Buffer.from(before), own, content.subarray(own.length), Buffer.from(after)];
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const sent = request(
    {
      ...{ agent, host: "127.0.0.1", port, method, path },
      headers: { ...headers, ...(method === "POST" && { "content-length": length }) },
    },
    async (response) => {
      if ((response.statusCode ?? 500) >= 300)
        return reject(new Error(`${method} got ${response.statusCode}`));
      if (method === "POST") return resolve(await text(response));
      let received = 0;
      for await (const chunk of response) received += chunk.length;
      return received === size ? resolve("") : reject(new Error(`${received} bytes instead of ${size}`));
    },
  );
  sent.once("error", reject);
  for (const part of parts) sent.write(part);
  sent.end();
  return promise;
}

let next = 0;
let last = "";
const start = performance.now();
await Promise.all(
  Array.from({ length: atOnce }, async () => {
    for (let index = next++; index < count; index = next++) last = await once(index);
  }),
);
const megabytesPerSecond = (count * size) / 1e3 / (performance.now() - start);
agent.destroy();
process.stdout.write(JSON.stringify({ megabytesPerSecond, last }));
