import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { ABSENT, samples } from "@easel/conformance/corpus";
import { send } from "@easel/conformance/http";
import { freshEmail } from "@easel/conformance/target";
import { cookieOf, signIn, submit, whoAmI } from "../support/client.ts";
import { startDev } from "../support/engines.ts";

const { target } = await startDev({ after });
const { base } = target;

describe("the page to sign in", () => {
  it("shows the known users, as text, with a policy and without scripts", async (t) => {
    const { base } = (await startDev(t)).target;
    await signIn(base, { email: "known@example.com", name: '<script>alert("x")</script>' });
    const { status, headers, text } = await send(base, {
      method: "GET",
      path: "/auth/login?returnTo=/%22%3E%3Cb%3E",
    });
    assert.equal(status, 200);
    assert.match(String(headers["content-security-policy"]), /^default-src 'none'/);
    assert.match(String(headers["content-security-policy"]), /frame-ancestors 'none'/);
    assert.equal(headers["cache-control"], "private, no-store");
    assert.match(text, /known@example\.com/);
    assert.doesNotMatch(text, /<script|<b>/);
  });

  it("the form signs in and redirects to returnTo: 303", async () => {
    const answer = await submit(base, {
      email: freshEmail("form"),
      name: "Form",
      returnTo: "/c/some-canvas/?a=1#b",
    });
    assert.deepEqual([answer.status, answer.headers.location], [303, "/c/some-canvas/?a=1#b"]);
    assert.equal((await whoAmI(base, [cookieOf(answer)])).json.name, "Form");
  });

  /** Known values of returnTo that open redirects accept. */
  const ways = [
    "",
    "//example.com",
    "///example.com",
    "/\\example.com",
    "\\\\example.com",
    "/\t/example.com",
    "https:example.com",
  ];
  const others = [
    "/.//example.com",
    "/..//example.com",
    "javascript:alert(1)",
    "data:text/html,x",
    "http://example.com@localhost/",
  ];
  const near = [
    `${base}.example.com/`,
    `${base}@example.com/`,
    base.replace("http", "https"),
    "http://localhost:1/",
    "/%0d%0aLocation:x",
  ];
  async function staysHome(returnTo: string): Promise<void> {
    const answer = await submit(base, { email: "back@example.com", returnTo });
    assert.equal(answer.status, 303, JSON.stringify(returnTo));
    const location = answer.headers.location ?? "";
    // The location is parsed as a browser parses it.
    assert.equal(new URL(location, base).origin, base, `${JSON.stringify(returnTo)} leads to ${location}`);
    assert.match(location, /^\/(?![/\\])/);
    const page = await send(base, {
      method: "GET",
      path: `/auth/login?returnTo=${encodeURIComponent(returnTo)}`,
    });
    assert.equal(page.status, 200);
  }
  for (const returnTo of [...ways, ...others, ...near]) {
    it(`returnTo ${JSON.stringify(returnTo)} does not lead to another origin`, () => staysHome(returnTo));
  }

  const corpus = samples("redirect");
  it("returnTo from a corpus of open redirects never leads to another origin", {
    skip: corpus === null && ABSENT,
  }, async () => {
    const lines = corpus?.flatMap(({ bytes }) => bytes.toString("utf8").split("\n")) ?? [];
    assert.ok(lines.length > 100);
    for (const line of lines) await staysHome(line);
  });
});
