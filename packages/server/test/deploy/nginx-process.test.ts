import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { test } from "node:test";
import { unauthenticated } from "@easel/conformance/refusal";
import { WebSocket } from "ws";
import { NAVIGATES } from "../sign-in/hand-over.ts";
import { whoAmI } from "../support/client.ts";
import { CLIENT, HOST, prepareNginx } from "../support/nginx.ts";
import { freePort } from "../support/postgres-server.ts";
import { missing } from "../support/programs.ts";
import { atEnd, PROXY, startService, temporaryDirectory } from "../support/service.ts";
import { zip } from "../support/zip.ts";

const skip = missing("nginx");
const JSON_BODY = { "content-type": "application/json" };
/** More than the 1 MiB that nginx accepts by default, of bytes that do not compress. */
const LARGE = randomBytes(3 * 1024 * 1024);

test("behind deploy/nginx/easel.conf a person opens a canvas host, deploys 3 MiB and gets live messages", {
  skip,
}, async (t) => {
  const nginx = await prepareNginx(t, "nginx/easel.conf");
  const port = await freePort();
  const { env } = await startService(t, {
    SERVICE_PORT: String(port),
    SERVICE_BASE_URL: nginx.base,
    SERVICE_URL_MODE: "subdomain",
    SERVICE_PROXY_TRUSTED_IPS: "127.0.0.1",
  });
  await nginx.start(port);
  const cookies = new Map<string, string>();
  /** Sends a request with the cookies of its host, and keeps those that it gets. */
  const ask = async (where: string, options: http.RequestOptions = {}, body?: Buffer | string) => {
    const { host } = new URL(where, nginx.base);
    const headers = { ...options.headers, cookie: cookies.get(host) ?? "" };
    const answer = await nginx.ask(where, { ...options, headers }, body);
    for (const cookie of answer.headers["set-cookie"] ?? [])
      cookies.set(host, [cookies.get(host) ?? "", cookie.split(";")[0]].filter(Boolean).join("; "));
    return answer;
  };

  const signIn = { method: "POST", headers: JSON_BODY };
  assert.equal((await ask("/auth/dev/session", signIn, '{"email":"ada@example.com"}')).status, 204);
  const made = await ask("/api/canvases", signIn, '{"title":"Tea","slug":"tea"}');
  assert.equal(made.status, 201, made.text);
  const bundle = await zip({ "index.html": "<h1>Tea</h1>", "large.bin": LARGE });
  const deployed = await ask(
    `/api/canvases/${made.json.id}/bundle`,
    { method: "PUT", headers: { "content-type": "application/zip" } },
    bundle,
  );
  assert.equal(deployed.status, 200, deployed.text);

  const origin = `https://tea.${HOST}:${new URL(nginx.base).port}`;
  let where = `${origin}/`;
  let page = await ask(where, { headers: Object.fromEntries(NAVIGATES) });
  for (let redirects = 0; page.status >= 300 && page.status < 400 && redirects < 5; redirects++) {
    where = new URL(String(page.headers.location), where).href;
    page = await ask(where, { headers: Object.fromEntries(NAVIGATES) });
  }
  assert.deepEqual([page.status, where], [200, `${origin}/`]);
  assert.match(page.text, /<h1>Tea<\/h1>/);

  const entries = await env.db.all<{ address: string }>`
    select distinct address from audit where act = ${"canvas.deploy"}`;
  assert.deepEqual(entries, [{ address: CLIENT }]);

  const switches = { method: "PATCH", headers: JSON_BODY };
  const on = await ask(`/api/canvases/${made.json.id}/capabilities`, switches, '{"backendEnabled":true}');
  assert.equal(on.status, 200, on.text);
  const socket = new WebSocket(`${nginx.base.replace("https", "wss")}/v1/c/tea/realtime`, {
    ...nginx.agent,
    headers: { cookie: cookies.get(new URL(nginx.base).host) ?? "", origin, "sec-fetch-site": "same-site" },
  });
  await once(socket, "open");
  socket.send('{"type":"ping"}');
  const [frame] = await once(socket, "message");
  assert.ok(JSON.parse(String(frame)).type);
  socket.terminate();
});

test("behind deploy/oauth2-proxy/nginx.conf a person is who oauth2-proxy says, and nobody else", {
  skip,
}, async (t) => {
  const nginx = await prepareNginx(t, "oauth2-proxy/nginx.conf");
  const port = await freePort();
  const secret = "a secret of the proxy that is long enough";
  await startService(t, {
    ...PROXY,
    SERVICE_PORT: String(port),
    SERVICE_BASE_URL: nginx.base,
    SERVICE_URL_MODE: "subdomain",
    SERVICE_PROXY_TRUSTED_IPS: "127.0.0.1",
    SERVICE_PROXY_SECRET: secret,
  });
  /** Answers as oauth2-proxy does: 202 with the person of a session, else 401. */
  const oauth2 = http.createServer(({ headers }, response) => {
    const [, person] = /^_oauth2_proxy=(\w+)$/.exec(headers.cookie ?? "") ?? [];
    response.writeHead(
      person === undefined ? 401 : 202,
      person === undefined ? {} : { "x-auth-request-email": `${person}@example.com` },
    );
    response.end();
  });
  await once(oauth2.listen(0, "127.0.0.1"), "listening");
  atEnd(t, async () => void oauth2.close());
  const include = path.join(await temporaryDirectory(t), "secret.conf");
  await writeFile(include, `proxy_set_header X-Service-Proxy-Secret "${secret}";\n`);
  await nginx.start(port, {
    "/etc/easel/proxy-secret.conf": include,
    "127.0.0.1:4180": `127.0.0.1:${(oauth2.address() as AddressInfo).port}`,
  });

  const forged = { "x-auth-request-email": "eve@example.com" };
  const ada = { ...forged, cookie: "_oauth2_proxy=ada" };
  assert.equal((await nginx.ask("/api/me", { headers: ada })).json.email, "ada@example.com");

  assert.equal((await nginx.ask("/api/me", { headers: forged })).status, 401);
  const page = await nginx.ask(`https://tea.${HOST}:${new URL(nginx.base).port}/a?b=c`, {
    headers: { ...forged, accept: "text/html" },
  });
  assert.equal(page.status, 302);
  assert.match(
    String(page.headers.location),
    /\/oauth2\/start\?rd=https:\/\/tea\.easel\.localhost:\d+\/a\?b=c$/,
  );

  const tool = { ...forged, authorization: "Bearer easel_pat_wrong" };
  unauthenticated(await nginx.ask("/api/me", { headers: tool }));
  const elsewhere = await nginx.ask("/", { headers: { ...tool, accept: "application/json" } });
  assert.equal(elsewhere.status, 401);
  const metadata = await nginx.ask("/.well-known/oauth-authorization-server", { headers: forged });
  assert.equal(metadata.json.issuer, nginx.base);
  assert.equal((await nginx.ask("/v1/c/tea/me", { method: "OPTIONS", headers: forged })).status < 401, true);

  unauthenticated(await whoAmI(`http://localhost:${port}`, [["X-Auth-Request-Email", "eve@example.com"]]));
});
