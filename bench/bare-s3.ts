import { createServer } from "node:http";

/*
 * A server of S3 that verifies nothing: it keeps objects in memory, knows `If-None-Match` and copies, and lists nothing. Prints its address.
 */
const objects = new Map<string, Buffer>();

const server = createServer(async (request, response) => {
  const { method, url = "", headers } = request;
  if (method === "GET" && url.includes("?")) return response.end("<ListBucketResult></ListBucketResult>");
  if (method === "GET") {
    const found = objects.get(url);
    const missing = "<Error><Code>NoSuchKey</Code></Error>";
    return found === undefined
      ? response.writeHead(404).end(missing)
      : response.writeHead(200, { etag: '"e"', "content-length": found.length }).end(found);
  }
  const body = Buffer.concat(await request.toArray());
  const source = headers["x-amz-copy-source"];
  if (headers["if-none-match"] === "*" && objects.has(url)) return response.writeHead(412).end();
  if (method === "PUT") objects.set(url, source === undefined ? body : (objects.get(String(source)) ?? body));
  else objects.delete(url);
  return response.writeHead(method === "PUT" ? 200 : 204, { etag: '"e"' }).end();
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as { port: number };
  process.stdout.write(`S3 at http://localhost:${port}\n`);
});
process.once("SIGTERM", () => process.exit(0));
