import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { type Header, send } from "@easel/conformance/http";
import { refused } from "@easel/conformance/refusal";
import { memory } from "../../src/drivers/bus/memory.ts";
import { FORM, getAs, JSON_TYPE, post } from "../support/client.ts";
import { startService } from "../support/service.ts";

/** Settings that allow one sign-in attempt per minute and address, so that a second one succeeds only from another address. */
const once = { SERVICE_RATELIMIT_LOGIN_PER_MIN: "1" };
const LISTED = "127.0.0.1, 10.0.0.0/8, 2001:db8::/32";

const behind = await startService({ after }, { ...once, SERVICE_PROXY_TRUSTED_IPS: LISTED });
const alone = await startService({ after }, { ...once, SERVICE_PROXY_TRUSTED_IPS: "10.0.0.0/8" });
const nobodys = await startService({ after }, once);

const forwarded = (value: string): Header => ["X-Forwarded-For", value];
const signIn = (base: string, headers: Header[]) =>
  post(base, "/auth/dev/session", [JSON_TYPE, ...headers], '{"email":"ada@example.com"}');

describe("the address of a client", () => {
  /** X-Forwarded-For headers from a trusted peer, and the resulting address of the client: the last one that is not a trusted peer's. */
  const rows: [sent: Header[], address: string][] = [
    [[], "127.0.0.1"],
    [[forwarded("")], "127.0.0.1"],
    [[forwarded("192.0.2.1")], "192.0.2.1"],
    [[forwarded("  192.0.2.2\t")], "192.0.2.2"],
    [[forwarded("192.0.2.9, 192.0.2.3")], "192.0.2.3"],
    [[forwarded("192.0.2.4, 10.0.0.5")], "192.0.2.4"],
    [[forwarded("192.0.2.5, 10.0.0.5, 10.0.0.6")], "192.0.2.5"],
    [[forwarded("192.0.2.9, 192.0.2.6, 10.0.0.5")], "192.0.2.6"],
    [[forwarded("192.0.2.9"), forwarded("192.0.2.7, 10.0.0.5")], "192.0.2.7"],
    [[forwarded("10.0.0.7")], "10.0.0.7"],
    [[forwarded("10.0.0.8, 10.0.0.5")], "10.0.0.8"],
    [[forwarded("192.0.2.8, ::ffff:10.0.0.5")], "192.0.2.8"],
    [[forwarded("192.0.2.10, 2001:db8::1")], "192.0.2.10"],
    [[forwarded("2001:db9::1")], "2001:db9::1"],
    [[forwarded("::ffff:192.0.2.11")], "::ffff:192.0.2.11"],
    [[forwarded("192.0.2.12, unknown")], "unknown"],
    [[forwarded("192.0.2.13, 10.0.0.5:80")], "10.0.0.5:80"],
    [[forwarded("192.0.2.14, 010.0.0.5")], "010.0.0.5"],
    [[["Forwarded", "for=192.0.2.15"]], "127.0.0.1"],
    [[["X-Real-IP", "192.0.2.16"]], "127.0.0.1"],
    [[["X_Forwarded_For", "192.0.2.17"]], "127.0.0.1"],
  ];
  for (const [sent, address] of rows) {
    const said = sent.map(([name, value]) => `${name}: ${value}`).join(" and ");
    it(`a trusted peer sends ${said || "nothing"}: ${address}`, async () => {
      await behind.env.db.run`delete from sessions`;
      // A new bus, so that each row has its own rate limit.
      behind.env.bus = memory();
      assert.equal((await signIn(behind.base, sent)).status, 204);
      const [row] = await behind.env.db.all<{ address: string }>`select address from sessions`;
      assert.equal(row?.address, address);
      refused(await signIn(behind.base, sent), 429, "RATE_LIMITED");
      assert.equal((await signIn(behind.base, [forwarded("198.51.100.1")])).status, 204);
    });
  }

  for (const [name, { base }] of Object.entries({
    "a peer that is not listed": alone,
    "no peer listed": nobodys,
  })) {
    it(`${name}: X-Forwarded-For is ignored`, async () => {
      assert.equal((await signIn(base, [])).status, 204);
      for (const value of ["192.0.2.1", "10.0.0.5", "192.0.2.1, 10.0.0.5", "127.0.0.2", "", "unknown"]) {
        refused(await signIn(base, [forwarded(value)]), 429, "RATE_LIMITED");
      }
    });
  }
});

describe("other forwarded headers of a trusted peer", () => {
  const { base } = behind;
  const elsewhere: Header[] = [
    ["X-Forwarded-Host", "eve.example"],
    ["X-Forwarded-Proto", "https"],
    ["X-Forwarded-Port", "443"],
    ["X-Forwarded-Prefix", "/eve"],
    ["Forwarded", "host=eve.example;proto=https"],
    ["X-Original-URL", "/api/me"],
    ["X-Rewrite-URL", "/api/me"],
    ["X-HTTP-Method-Override", "DELETE"],
  ];

  it("the host is that of `Host`, with any other header", async () => {
    assert.equal((await send(base, { method: "GET", path: "/auth/login", headers: elsewhere })).status, 200);
    refused(await getAs("eve.example", base, "/auth/login"), 421, "MISDIRECTED");
    const named: Header[] = [
      ["X-Forwarded-Host", new URL(base).host],
      ["Host", "eve.example"],
    ];
    assert.equal((await send(base, { method: "GET", path: "/auth/login", headers: named })).status, 400);
  });

  it("links and cookies use the base URL", async () => {
    const page = await send(base, { method: "GET", path: "/auth/login?returnTo=/a", headers: elsewhere });
    assert.doesNotMatch(page.text + JSON.stringify(page.headers), /eve/);
    const answer = await post(
      base,
      "/auth/login",
      [FORM, ...elsewhere, forwarded("198.51.100.2")],
      "email=ada@example.com&returnTo=https://eve.example/",
    );
    assert.deepEqual([answer.status, answer.headers.location], [303, "/"]);
    assert.match(answer.headers["set-cookie"]?.[0] ?? "", /^easel_session=(?!.*(Secure|Domain))/);
  });

  it("a forwarded host is not treated as a canvas host", async (t) => {
    const canvases = await startService(t, {
      SERVICE_URL_MODE: "subdomain",
      SERVICE_PROXY_TRUSTED_IPS: "127.0.0.1",
    });
    const { host } = new URL(canvases.base);
    const headers: Header[] = [["X-Forwarded-Host", `guestbook.${host}`]];
    const path = "/auth/login";
    assert.equal((await send(canvases.base, { method: "GET", path, headers })).status, 200);
  });
});
