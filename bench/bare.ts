import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A minimal server for comparison, started by `node bare.ts <body for GET> <body for PUT>`. It responds to every GET with the first body,
 * and to every other request with the second.
 */
const [getBody = "", putBody = ""] = process.argv.slice(2);

const server = createServer((request, response) => {
  if (request.method === "GET") {
    response.end(getBody);
    return;
  }
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", () => {
    Buffer.concat(parts);
    response.end(putBody);
  });
});

server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`bare at http://localhost:${(server.address() as AddressInfo).port}\n`);
});
process.once("SIGTERM", () => process.exit());
