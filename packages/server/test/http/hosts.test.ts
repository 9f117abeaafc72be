import assert from "node:assert/strict";
import { once } from "node:events";
import http, { type IncomingMessage } from "node:http";
import { after, test } from "node:test";
import { oidcSettings } from "../sign-in/oidc-provider.ts";
import { getAs } from "../support/client.ts";
import { HTTPS, startOnHttps } from "../support/https.ts";
import { PROXY, startService } from "../support/service.ts";
import { answersIn, wire } from "../support/wire.ts";

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
  // A canvas host treats every path as one of the canvas, and refuses callers without access in the same way everywhere.
  [`guestbook.${host}`, "/", 401],
  [`guestbook.${host}`, "/auth/login", 401],
  [`guestbook.${host}`, "/api/me", 401],
  [`guestbook.${host}`, "/oauth/device", 401],
  [`guestbook.${host}`, "/.well-known/oauth-authorization-server", 401],
  [`guestbook.${host}`, "/v1/c/guestbook/me", 401],
  [`guestbook.${host}`, "/sdk/v1.js", 401],
  [`GUESTBOOK.${host.toUpperCase()}`, "/api/me", 401],
  [`a.guestbook.${host}`, "/", 404],
  [`xn--a.${host}`, "/healthz", 404],
  [`.${host}`, "/healthz", 404],
  [`${host}.example.com`, "/auth/login", 421],
  ["example.com", "/auth/login", 421],
];

async function statusAt(address: string, path: string, name: string): Promise<number | undefined> {
  const [answer] = (await once(http.get(address + path, { headers: { host: name } }), "response")) as [
    IncomingMessage,
  ];
  answer.resume();
  return answer.statusCode;
}

for (const [name, path, status] of rows) {
  test(`${name.replace(host, "BASE")}${path}: ${status}`, async () => {
    assert.equal(env.base.host, host);
    assert.equal(await statusAt(base, path, name), status);
  });
}

/** Requests with host names that are not the service's, and their statuses outside dev mode. */
const foreign: [name: string, path: string, status: number][] = [
  ["example.com", "/", 421],
  ["example.com", "/auth/login", 421],
  ["example.com", "/api/me", 421],
  ["example.com", "/v1/c/guestbook/me", 421],
  ["example.com", "/c/guestbook/", 421],
  ["example.com", "/sdk/v1.js", 421],
  ["example.com", "/none", 421],
  ["example.com", "/healthz/", 421],
  ["BASE.example.com", "/api/me", 421],
  ["10.0.0.7", "/api/me", 421],
  // Health checks have a response under any host name, because load balancers may send them to an IP address.
  ["example.com", "/healthz", 200],
  ["10.0.0.7:3000", "/readyz", 200],
];

for (const [mode, settings] of [
  ["proxy", PROXY],
  ["oidc", oidcSettings("http://localhost:9")],
] as const) {
  for (const urlMode of ["path", "subdomain"]) {
    test(`${mode} mode, canvases by ${urlMode}: other hosts get 421, except health checks`, async (t) => {
      const { base } = await startService(t, { ...settings, SERVICE_URL_MODE: urlMode });
      const { host } = new URL(base);
      for (const [name, path, status] of foreign)
        assert.equal(await statusAt(base, path, name.replace("BASE", host)), status, `${name}${path}`);
      const [nameless] = answersIn(await wire(base, "GET /healthz HTTP/1.0\r\n\r\n"));
      assert.equal(nameless?.status, 200);
      const own = mode === "oidc" ? 302 : 401;
      for (const name of [host, host.toUpperCase(), host.replace("localhost", "127.0.0.1")])
        assert.equal(await statusAt(base, "/v1/c/guestbook/me", name), own, name);
      if (urlMode === "subdomain") assert.equal(await statusAt(base, "/", `guestbook.${host}`), own);
    });
  }
}

test("a host may name the default port of https, and no other", async (t) => {
  for (const settings of [{}, { SERVICE_URL_MODE: "subdomain" }]) {
    const { target } = await startOnHttps(t, settings);
    const { host } = new URL(HTTPS);
    for (const [name, status] of [
      [host, 401],
      [`${host}:443`, 401],
      [`${host}:80`, 421],
      [`${host}:444`, 421],
      [`${host}:443:443`, 421],
    ] as const)
      assert.equal(await statusAt(target.base, "/api/me", name), status, name);
  }
});

test("HSTS: every response over https has it, no response over http", async (t) => {
  for (const [settings, hsts] of [
    [{}, "max-age=31536000"],
    [{ SERVICE_URL_MODE: "subdomain", SERVICE_HSTS: "subdomains" }, "max-age=31536000; includeSubDomains"],
  ] as const) {
    const secure = await startOnHttps(t, settings);
    for (const name of [new URL(HTTPS).host, `guestbook.${new URL(HTTPS).host}`, "example.com"]) {
      for (const path of ["/healthz", "/", "/none", "/%ff", "/v1/c/guestbook/%ff", "/c/guestbook/"]) {
        const answer = await getAs(name, secure.target.base, path);
        assert.equal(answer.headers["strict-transport-security"], hsts, name + path);
        const plain = await getAs(host, base, path);
        assert.equal(plain.headers["strict-transport-security"], undefined, path);
      }
    }
  }
});
