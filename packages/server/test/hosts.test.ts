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
  [host, "/c/guestbook/a?b", 308],
  [host, "/c/guestbook", 308],
  [host, "/c/guestbook?a=/b", 308],
  [host, "/%63/guestbook/", 308],
  [host, "/c/guestboo%6b/sdk/v1.js", 308],
  [host, "/c/", 302],
  [`guestbook.${host}`, "/c/", 401],
  // Whatever is asked of a canvas host is asked of the canvas: who may not enter learns nothing.
  [`guestbook.${host}`, "/", 401],
  [`guestbook.${host}`, "/auth/login", 401],
  [`guestbook.${host}`, "/api/me", 401],
  [`guestbook.${host}`, "/v1/c/guestbook/me", 401],
  [`guestbook.${host}`, "/sdk/v1.js", 401],
  [`GUESTBOOK.${host.toUpperCase()}`, "/api/me", 401],
  [`a.guestbook.${host}`, "/", 404],
  [`xn--a.${host}`, "/healthz", 404],
  [`.${host}`, "/healthz", 404],
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
