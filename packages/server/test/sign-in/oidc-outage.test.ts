import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Answer, send } from "@easel/conformance/http";
import { until } from "@easel/conformance/patience";
import { refused } from "@easel/conformance/refusal";
import { startService } from "../support/service.ts";
import { DESCRIPTION, description, signIn, startWithFake } from "./oidc-fake.ts";
import { oidcSettings } from "./oidc-provider.ts";
import { BROKEN, SILENT, turnedDown, Visitor } from "./oidc-visitor.ts";

describe("a provider that is down", () => {
  it("503 with a link to try again that keeps returnTo; works once it is up", async (t) => {
    const { fake, base } = await startWithFake(t);
    fake.hangsUp = true;
    const visitor = new Visitor();
    const answer = await visitor.get(`${base}/auth/login?returnTo=/c/tea/%3Fa=1`);
    turnedDown(answer, 503, SILENT);
    assert.match(answer.text, /href="\/auth\/login\?returnTo=%2Fc%2Ftea%2F%3Fa%3D1">Try again</);
    refused(await send(base, { method: "GET", path: "/auth/login" }), 503, "UNAVAILABLE");
    assert.equal((await send(base, { method: "GET", path: "/healthz" })).status, 200);
    fake.hangsUp = false;
    assert.equal((await signIn(base, visitor)).status, 303);
  });

  it("connection refused: 503", async (t) => {
    const { base } = await startService(t, oidcSettings("http://localhost:9"));
    turnedDown(await new Visitor().get(`${base}/auth/login`), 503, SILENT);
  });

  it("goes down between the start of a sign-in and its end: 503", async (t) => {
    const { fake, base } = await startWithFake(t);
    const visitor = new Visitor();
    const { searchParams } = new URL(await visitor.login(base));
    await fake.stop();
    const query = new URLSearchParams({ code: "code", state: searchParams.get("state") ?? "" });
    turnedDown(await visitor.get(`${base}/auth/callback?${query}`), 503, SILENT);
  });

  it("sends 500, malformed metadata or another issuer: 503, and is fetched again next time", async (t) => {
    const { fake, base } = await startWithFake(t);
    const rows: [status: number, body: unknown, says: RegExp][] = [
      [500, "down", SILENT],
      [404, {}, BROKEN],
      [302, {}, BROKEN],
      [200, "nonsense", BROKEN],
      [200, {}, BROKEN],
      [200, description("https://accounts.example.com"), BROKEN],
    ];
    for (const [status, body, says] of rows) {
      fake.answers = { [DESCRIPTION]: { status, body } };
      turnedDown(await new Visitor().get(`${base}/auth/login`), 503, says);
    }
    fake.reset();
    assert.equal((await signIn(base)).status, 303);
  });
});

describe("a provider that is slow", () => {
  it("times out after ten seconds without a first or a last byte: 503", async (t) => {
    const { fake, base } = await startWithFake(t);
    const visitor = new Visitor();
    const patience: AbortController[] = [];
    t.mock.method(AbortSignal, "timeout", (milliseconds: number) => {
      assert.equal(milliseconds, 10_000);
      const controller = new AbortController();
      patience.push(controller);
      return controller.signal;
    });

    const rows: [path: string, told: (typeof fake.answers)[string], act: () => Promise<Answer>][] = [
      [DESCRIPTION, null, () => visitor.get(`${base}/auth/login`)],
      [DESCRIPTION, { status: 200, body: null }, () => visitor.get(`${base}/auth/login`)],
      ["/token", null, () => signIn(base, visitor)],
      ["/token", { status: 200, body: null }, () => signIn(base, visitor)],
    ];
    for (const [path, told, act] of rows) {
      fake.answers = { [path]: told };
      const before = fake.asked.filter((each) => each === path).length;
      const answer = act();
      await until("the provider is asked", () => fake.asked.filter((each) => each === path).length > before);
      await sleep(50);
      patience.at(-1)?.abort(new DOMException("The operation timed out", "TimeoutError"));
      turnedDown(await answer, 503, SILENT);
    }
    fake.reset();
    assert.equal((await signIn(base, visitor)).status, 303);
  });
});

describe("the limit of sign-ins", () => {
  it("per minute and address, login and callback together: 429", async (t) => {
    const limits = { SERVICE_RATELIMIT_ENABLED: "true", SERVICE_RATELIMIT_LOGIN_PER_MIN: "4" };
    const { base } = await startWithFake(t, limits);
    const visitor = new Visitor();
    assert.equal((await signIn(base, visitor)).status, 303);
    assert.equal((await signIn(base, visitor)).status, 303);
    for (const path of ["/auth/login?returnTo=/c/tea/", "/auth/callback?code=a&state=b"]) {
      const forwarded = ["X-Forwarded-For", "10.1.2.3"] as [string, string];
      const answer = await visitor.get(base + path, [forwarded]);
      assert.equal(answer.status, 429);
      assert.match(answer.text, /<h1>Too many sign-ins at once<\/h1>/);
      assert.match(String(answer.headers["retry-after"]), /^[1-9]\d*$/);
      assert.equal(answer.headers["x-ratelimit-remaining"], "0");
      refused(await send(base, { method: "GET", path }), 429, "RATE_LIMITED");
    }
  });

  it("images and frames of other sites do not keep their visitor's network from signing in", async (t) => {
    const limits = { SERVICE_RATELIMIT_ENABLED: "true", SERVICE_RATELIMIT_LOGIN_PER_MIN: "4" };
    const { base } = await startWithFake(t, limits);
    const visitor = new Visitor();
    const statuses = new Set<number>();
    for (const destination of ["image", "iframe", "empty"])
      for (let n = 0; n < 4; n++) {
        const headers = [
          ["Sec-Fetch-Site", "cross-site"],
          ["Sec-Fetch-Dest", destination],
        ] as [string, string][];
        statuses.add((await visitor.get(`${base}/auth/login`, headers)).status);
      }
    assert.deepEqual([...statuses].sort(), [302, 429]);
    assert.equal((await signIn(base, new Visitor())).status, 303);
  });
});
