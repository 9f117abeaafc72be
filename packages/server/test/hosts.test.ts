import assert from "node:assert/strict";
import { once } from "node:events";
import http, { type IncomingMessage } from "node:http";
import { after, test } from "node:test";
import { startService } from "./support.ts";

const { base, env } = await startService({ after }, { SERVICE_URL_MODE: "subdomain" });
const { host } = new URL(base);

const rows: [host: string, path: string, status: number][] = [
  [host, "/auth/login", 200],
  [host, "/v1/c/guestbook/me", 401],
  [`guestbook.${host}`, "/", 404],
  [`guestbook.${host}`, "/auth/login", 404],
  [`guestbook.${host}`, "/api/me", 404],
  [`guestbook.${host}`, "/v1/c/guestbook/me", 404],
  [`guestbook.${host}`, "/sdk/v1.js", 401],
  [`GUESTBOOK.${host.toUpperCase()}`, "/api/me", 404],
  [`${host}.example.com`, "/auth/login", 421],
  ["example.com", "/auth/login", 421],
];

for (const [name, path, status] of rows) {
  test(`${name.replace(host, "BASE")}${path}: ${status}`, async () => {
    assert.equal(env.base.host, host);
    const [answer] = (await once(http.get(base + path, { headers: { host: name } }), "response")) as [
      IncomingMessage,
    ];
    answer.resume();
    assert.equal(answer.statusCode, status);
  });
}
