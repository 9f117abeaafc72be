import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { before, test } from "node:test";
import { closedPort } from "@easel/conformance/closed-port";
import { atEnd, fileScope, startService } from "../../server/test/support/service.ts";
import { startTls } from "../../server/test/support/tls.ts";
import { easel } from "./support/easel.ts";
import { fileOf, newHome } from "./support/login.ts";

const scope = fileScope();
let base: string;
before(async () => {
  ({ base } = await startService(scope));
});

/** Starts an HTTP server that is not an Easel service. */
async function startOther(handler: http.RequestListener): Promise<string> {
  const server = http.createServer(handler);
  await once(server.listen(0, "127.0.0.1"), "listening");
  atEnd(scope, async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("addresses that do not belong to an Easel service", async (t) => {
  const home = await newHome(t);
  const metadata = async () => (await fetch(`${base}/.well-known/oauth-authorization-server`)).json();
  const page = await startOther((_request, response) => response.end("<!doctype html>"));
  const missing = await startOther((_request, response) => response.writeHead(404).end("none"));
  const proxy = await startOther((_request, response) =>
    response.writeHead(302, { location: "https://login.example.com/" }).end(),
  );
  const none = await startOther((_request, response) =>
    response.writeHead(404).end('{"code":"NOT_FOUND","message":"This service accepts no access tokens."}'),
  );
  const thief: string = await startOther(async (_request, response) =>
    response.end(JSON.stringify({ ...((await metadata()) as object), issuer: thief })),
  );
  const renamed = await startOther(async (_request, response) =>
    response.end(JSON.stringify(await metadata())),
  );
  const rows: [url: string, code: number, says: RegExp][] = [
    [page, 1, /is not an Easel service/],
    [missing, 1, /is not an Easel service/],
    [thief, 1, /is not an Easel service/],
    [renamed, 2, /has the address http:\/\/localhost/],
    [proxy, 3, /asks for a sign-in before the service is reached/],
    [none, 4, /accepts no access tokens/],
    [`http://127.0.0.1:${await closedPort()}`, 6, /nothing listens there/],
    [
      `https://localhost:${await startTls(t, Number(new URL(base).port))}`,
      6,
      /its certificate is self-signed; set NODE_EXTRA_CA_CERTS/,
    ],
    ["http://easel.example.com", 2, /not encrypted/],
    ["ftp://easel.example.com", 2, /is not the URL of a service/],
    ["https://ada@easel.example.com", 2, /is not the URL of a service/],
    ["", 2, /is not the URL of a service|No service is known/],
  ];
  for (const [url, expected, says] of rows) {
    const { code, stderr } = await easel(["login", url], { env: home, isTerminal: true });
    assert.deepEqual([url, code], [url, expected], stderr);
    assert.match(stderr, says);
  }
  assert.equal(existsSync(fileOf(home)), false);
});
