import assert from "node:assert/strict";
import { readFile, rm, symlink, writeFile } from "node:fs/promises";
import net from "node:net";
import path from "node:path";
import { before, test } from "node:test";
import type { Env } from "@easel/server";
import { WebSocket } from "ws";
import { fileScope, startService } from "../../server/test/support/service.ts";
import { ask, type Dev, type RawResponse, startDev } from "./support/dev.ts";
import { addFiles, easel, folderWith, signedIn } from "./support/easel.ts";

const PAGE = "<!doctype html><html lang=en><title>Shop</title><p>ü</p></html>";
const FILES: Record<string, string | Buffer> = {
  "index.html": PAGE,
  "404.html": "<!doctype html><title>Not here</title>",
  "app.js": "export const one = 1;",
  "types.ts": "type A = 1;",
  "data.json": '{"a":1}',
  "part.html": "<p>part</p>",
  "sub/index.html": "<!doctype html><title>Sub</title>",
  "a b.txt": "blank",
  "ü.txt": "umlaut",
  "large.bin": Buffer.alloc(5 * 1024 * 1024, "large"),
  ".env": "SECRET=1",
  ".git/config": "secret",
  ".well-known/a.txt": "known",
  "node_modules/x/index.js": "x",
  "Thumbs.db": "x",
};
const NAVIGATION = { accept: "text/html", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
const PART = { accept: "*/*", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "script" };

const scope = fileScope();
let base: string;
let service: Env;
let token: Record<string, string>;
let folder: string;
let dev: Dev;

/** Creates the folder that is served and deployed. */
async function makeFolder(name: string, settings: object): Promise<string> {
  const made = await folderWith(scope, name, { ...FILES, "easel.json": JSON.stringify(settings) });
  await symlink("/etc/passwd", path.join(made, "passwd"));
  return made;
}

before(async () => {
  ({ base, env: service } = await startService(scope));
  token = await signedIn(base, service, "ada@example.com");
  folder = await makeFolder("shop", { title: "Shop" });
  dev = await startDev(scope, folder);
});

const cookiesOf = ({ headers }: RawResponse): string =>
  (headers["set-cookie"] ?? []).map((each) => each.split(";", 1)[0]).join("; ");

const hostRows: [host: string, status: number][] = [
  ["localhost:PORT", 200],
  ["LOCALHOST:PORT", 200],
  ["chi.localhost:PORT", 200],
  ["127.0.0.1:PORT", 307],
  ["[::1]:PORT", 307],
  ["localhost", 421],
  ["localhost:1", 421],
  ["localhost:9999", 421],
  ["attacker.example:PORT", 421],
  ["localhost.attacker.example:PORT", 421],
  ["chi.localhost.attacker.example:PORT", 421],
  ["a@localhost:PORT", 421],
  ["192.168.0.1:PORT", 421],
  ["0.0.0.0:PORT", 421],
];

test("only loopback hosts with the right port are served, which prevents DNS rebinding", async () => {
  const { port } = new URL(dev.url);
  for (const [row, status] of hostRows) {
    const host = row.replace("PORT", port);
    for (const url of [dev.url, new URL("/__easel_dev/none", dev.url).href]) {
      const { status: got } = await ask(url, { headers: { ...NAVIGATION, host } });
      assert.equal(got, url === dev.url || status === 421 ? status : 404, `${host} ${url}`);
    }
  }
  const socket = net.connect(Number(port), "127.0.0.1");
  socket.write(
    `GET / HTTP/1.1\r\nHost: localhost:${port}\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`,
  );
  assert.match(Buffer.concat(await socket.toArray()).toString(), /^HTTP\/1\.1 4(00|21) /);
});

test("pages of other origins cannot switch the person or open a WebSocket", async () => {
  const { host } = dev;
  const person = (headers: Record<string, string>) =>
    ask(new URL("/__easel_dev/person", dev.url).href, {
      method: "POST",
      headers: { host, "content-type": "text/plain", ...headers },
      body: '{"host":"ben"}',
    });
  const rows: [headers: Record<string, string>, status: number][] = [
    [{ "sec-fetch-site": "same-origin", origin: `http://${host}` }, 200],
    [{ origin: `http://${host}` }, 200],
    [{}, 403],
    [{ "sec-fetch-site": "cross-site", origin: "http://attacker.example" }, 403],
    [{ "sec-fetch-site": "same-site", origin: `http://chi.${host}` }, 403],
    [{ "sec-fetch-site": "none" }, 403],
    [{ "sec-fetch-site": "same-origin", origin: "null" }, 403],
  ];
  for (const [headers, status] of rows) {
    const answer = await person(headers);
    assert.equal(answer.status, status, JSON.stringify(headers));
    assert.equal(cookiesOf(answer) !== "", status === 200);
  }
  const outcome = async (origin: string) => {
    const socket = new WebSocket(`ws://127.0.0.1:${new URL(dev.url).port}/__easel_dev/live`, {
      headers: { host, origin },
    });
    const event = await new Promise((resolve) => {
      socket.once("open", () => resolve("open")).once("error", () => resolve("refused"));
    });
    socket.terminate();
    return event;
  };
  assert.equal(await outcome(`http://${host}`), "open");
  assert.equal(await outcome("http://attacker.example"), "refused");
  assert.equal(await outcome(`http://chi.${host}`), "refused");
});

test("each host has its own person; cookies without the port in their names are ignored", async () => {
  const me = async (host: string, cookie: string) => {
    const { status, body } = await ask(new URL("/v1/c/shop/me", dev.url).href, {
      headers: { host, cookie, referer: `http://${host}/c/shop/`, "sec-fetch-site": "same-origin" },
    });
    return status === 200 ? JSON.parse(body.toString()).name : status;
  };
  for (const [label, name] of [
    ["", "Ada Berg"],
    ["ben.", "Ben Okoro"],
    ["signed-out.", 401],
    ["nobody-known.", 401],
  ]) {
    const host = `${label}${dev.host}`;
    const cookies = cookiesOf(await ask(dev.url, { headers: { ...NAVIGATION, host } }));
    assert.equal(await me(host, cookies), name);
    assert.equal(await me(host, cookies.replaceAll(/_\d+=/g, "=")), 401);
  }
});

test("a person who signs out in the page stays signed out", async () => {
  const host = `dana.${dev.host}`;
  const first = cookiesOf(await ask(dev.url, { headers: { ...NAVIGATION, host } }));
  const origin = `http://${host}`;
  const out = await ask(new URL("/auth/logout", dev.url).href, {
    method: "POST",
    headers: { host, origin, cookie: first },
  });
  assert.equal(out.status, 204);
  const cookie = cookiesOf(out);
  const again = await ask(dev.url, { headers: { ...NAVIGATION, host, cookie } });
  assert.equal(again.status, 302);
  assert.equal(cookiesOf(again), "");
});

/** Returns the parts of a response that must not differ between `easel dev` and the service. */
function comparable({ status, headers, body }: RawResponse, origin: string, isPage: boolean) {
  const text = body.toString("latin1").replace(/<script src="\/__easel_dev\/[^>]*><\/script>/, "");
  return {
    status,
    type: headers["content-type"],
    location: headers.location?.replace(origin, ""),
    range: headers["content-range"],
    // The bar changes the length of a page, and the request id changes the length of an error.
    length: isPage || status >= 400 ? undefined : headers["content-length"],
    text: text
      .replaceAll(origin, "")
      .replaceAll(encodeURIComponent(origin), "")
      .replace(/"requestId":"[^"]*"/, ""),
  };
}

const PATHS =
  " index.html app.js types.ts data.json part.html sub sub/ sub/none none none.js a%20b.txt %C3%BC.txt u%CC%88.txt .env .git/config .well-known/a.txt node_modules/x/index.js Thumbs.db passwd easel.json 404.html large.bin ..%2Fshop sub/../app.js %ff app.js/ APP.JS?x=1";

for (const settings of [{ title: "Shop" }, { title: "Shop", spa: true }]) {
  test(`every path gets the same response as from the service after a deploy: ${JSON.stringify(settings)}`, async (t) => {
    const isSpa = "spa" in settings;
    const own = isSpa ? await makeFolder("shop-spa", settings) : folder;
    const served = isSpa ? await startDev(t, own) : dev;
    const slug = path.basename(own);
    const local = cookiesOf(await ask(served.url, { headers: { ...NAVIGATION, host: served.host } }));
    const deployed = await easel(["deploy", own, "--json"], { env: token });
    assert.equal(deployed.code, 0, deployed.stderr);
    const session = await fetch(`${base}/auth/dev/session`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"email":"ada@example.com"}',
    });
    const remote = session.headers.getSetCookie()[0]?.split(";", 1)[0] ?? "";
    const origin = `http://${served.host}`;
    const compare = async (name: string, headers: Record<string, string>) => {
      const isPage = headers === NAVIGATION;
      const [here, there] = await Promise.all([
        ask(`${origin}/c/${slug}/${name}`, { headers: { ...headers, host: served.host, cookie: local } }),
        ask(`${base}/c/${slug}/${name}`, {
          headers: { ...headers, host: new URL(base).host, cookie: remote },
        }),
      ]);
      assert.deepEqual(comparable(here, origin, isPage), comparable(there, base, isPage), name);
      if (here.status < 300) assert.equal(here.headers["cache-control"], "no-store");
    };
    // Ranges do not depend on the routing of a single-page app.
    const ranges = isSpa ? [] : ["bytes=2-5", "bytes=99999999-"].map((range) => ({ ...PART, range }));
    for (const name of PATHS.split(" "))
      await Promise.all([NAVIGATION, PART, ...ranges].map((headers) => compare(name, headers)));
    // Neither `easel dev` nor the deploy changes a file.
    for (const [name, content] of Object.entries(FILES)) {
      assert.deepEqual(await readFile(path.join(own, name)), Buffer.from(content), name);
      const { status, body } = await ask(`${base}/c/${slug}/${encodeURI(name)}`, {
        headers: { ...PART, host: new URL(base).host, cookie: remote },
      });
      if (status === 200) assert.deepEqual(body, Buffer.from(content), name);
    }
  });
}

test("a new file is served at once; an invalid folder gets an error page until it is valid again", async () => {
  const cookie = cookiesOf(await ask(dev.url, { headers: { ...NAVIGATION, host: dev.host } }));
  const get = (name: string) => ask(dev.url + name, { headers: { ...NAVIGATION, host: dev.host, cookie } });
  await addFiles(folder, { "new.txt": "new" });
  assert.equal((await get("new.txt")).body.toString(), "new");
  await writeFile(path.join(folder, "APP.js"), "");
  const refused = await get("added.txt");
  assert.equal(refused.status, 404);
  assert.match(refused.body.toString(), /the same file on some file systems/);
  await rm(path.join(folder, "APP.js"));
  assert.equal((await get("new.txt")).status, 200);
});

test("a failed start prints the reason", async (t) => {
  const { port } = new URL(dev.url);
  const rows: [code: number, args: string[], said: RegExp][] = [
    [2, [path.join(folder, "missing")], /There is no folder/],
    [2, [path.join(folder, "index.html")], /is not a folder/],
    [1, [await folderWith(t, "no-page", { "a.css": "" })], /has no index\.html/],
    [1, [folder, "--port", port], /Port \d+ is in use[\s\S]*--port/],
    [2, [folder, "--port", "0"], /number from 1 to 65535/],
    [2, [folder, "--host", "0.0.0.0"], /127\.0\.0\.1/],
    [2, [folder, "--proxy", "https://example.com/x"], /is no origin such as/],
  ];
  for (const [code, args, said] of rows) {
    const outcome = await easel(["dev", "--throw-away", ...args]);
    assert.equal(outcome.code, code, outcome.stderr);
    assert.match(outcome.stderr, said);
    assert.equal(outcome.stdout, "");
  }
});

test("data is kept in .easel/dev, and Ctrl-C ends with exit code 0", async (t) => {
  const kept = await folderWith(t, "kept-app", { "index.html": PAGE });
  for (const time of [1, 2]) {
    const interruption = new AbortController();
    const { code, stdout } = await easel(["dev", kept], {
      signal: interruption.signal,
      onStderr: (text) => {
        if (text.includes("Ctrl-C")) interruption.abort();
      },
    });
    assert.equal(code, 0, `start ${time}`);
    assert.match(stdout, /^http:\/\/localhost:\d+\/c\/kept-app\/\n$/);
  }
  assert.match(await readFile(path.join(kept, ".easel/.gitignore"), "utf8"), /^\*\n/);
});
