import { writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createAuthority } from "@easel/conformance/connections/authority";

/*
 * An external API for the benchmark: `node connection-upstream.ts <file>`. Writes the certificate of its authority to the file. Each
 * response has as many bytes as its path says, such as `/1024`.
 */
const [, , file = ""] = process.argv;
const authority = await createAuthority();
writeFileSync(file, authority.ca);

const server = createServer(await authority.issue(["localhost"]), (request, response) => {
  const body = Buffer.alloc(Number(request.url?.slice(1)), "x");
  response.writeHead(200, { "content-type": "text/plain", "content-length": body.length }).end(body);
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`at https://localhost:${(server.address() as AddressInfo).port}\n`);
});
