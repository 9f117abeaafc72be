import { randomUUID } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

/*
 * A minimal file server for comparison: POST streams the body to disk, GET streams the body of the first POST from disk. Prints its
 * address.
 */

const folder = await mkdtemp(join(tmpdir(), "easel-bench-files-"));
let first: { file: string; size: number } | undefined;

const server = createServer(async (request, response) => {
  if (request.method === "GET") {
    const { file = "", size = 0 } = first ?? {};
    response.writeHead(200, { "content-type": "application/octet-stream", "content-length": size });
    await pipeline(createReadStream(file), response);
    return;
  }
  const file = join(folder, randomUUID());
  await pipeline(request, createWriteStream(file));
  response.writeHead(201, { "content-type": "application/json" }).end('{"ok":true}');
  first ??= { file, size: Number(request.headers["content-length"]) };
});

server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`Files at http://localhost:${(server.address() as AddressInfo).port}\n`);
});
process.once("SIGTERM", async () => {
  server.close();
  server.closeAllConnections();
  await rm(folder, { recursive: true });
});
