import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Header } from "@easel/conformance/http";
import { refused } from "@easel/conformance/refusal";
import { freshEmail, type Person } from "@easel/conformance/target";
import { FORM, post } from "../support/client.ts";
import { startDev } from "../support/engines.ts";
import { later, MINUTE_MS } from "../support/time.ts";
import { callAs, newAttempt, openPage, submitTo, ticketOf } from "./oauth-client.ts";
import { changesNothing, isErrorPage } from "./oauth-refusals.ts";

const { target, env } = await startDev({ after });
const { base, signIn } = target;

describe("forged answers to the questions", () => {
  let ada: Person;
  let eve: Person;
  before(async () => {
    [ada, eve] = await Promise.all([signIn(freshEmail("ada")), signIn(freshEmail("eve"))]);
  });

  const FOREIGN: [title: string, headers: Header[]][] = [
    ["of another origin", [["Origin", "https://evil.example"]]],
    ["of another site", [["Sec-Fetch-Site", "cross-site"]]],
    ["of a canvas", [["Referer", `${base}/c/evil/`]]],
  ];
  for (const [title, headers] of FOREIGN) {
    it(`a page ${title} cannot answer: 403`, async () => {
      const attempt = await newAttempt(base);
      const { json } = await callAs(base, "/oauth/device_authorization", { host: "a" });
      const code = { user_code: String(json.user_code) };
      const tickets = [
        ["/oauth/authorize", ticketOf(await openPage(attempt.url, ada.headers))],
        ["/oauth/device", ticketOf(await submitTo(base, "/oauth/device", ada.headers, code))],
      ] as const;
      await changesNothing(env, async () => {
        for (const [path, ticket] of tickets) {
          const body = new URLSearchParams({ ticket, answer: "allow" }).toString();
          refused(
            await post(base, path, [FORM, ...ada.headers, ...headers], body),
            403,
            "CROSS_SITE_FORBIDDEN",
          );
        }
      });
    });
  }

  it("no ticket, a forged one, another person's, another question's and an old one: 400, and nothing changes", async () => {
    const attempt = await newAttempt(base);
    const ticket = ticketOf(await openPage(attempt.url, ada.headers));
    const others = ticketOf(await openPage(attempt.url, eve.headers));
    const { json } = await callAs(base, "/oauth/device_authorization", { host: "a" });
    const devices = ticketOf(
      await submitTo(base, "/oauth/device", ada.headers, { user_code: String(json.user_code) }),
    );
    const [text = "", signature = ""] = ticket.split(".");
    const forged = Buffer.from(text, "base64url").toString().replace("49152", "49153");
    await changesNothing(env, async () => {
      for (const each of [
        "",
        "a.b",
        others,
        devices,
        `${Buffer.from(forged).toString("base64url")}.${signature}`,
      ]) {
        const fields = { ticket: each, answer: "allow" };
        isErrorPage(await submitTo(base, "/oauth/authorize", ada.headers, fields));
      }
      for (const each of ["a.b", ticket])
        isErrorPage(await submitTo(base, "/oauth/device", ada.headers, { ticket: each, answer: "allow" }));
      await later(env, 10 * MINUTE_MS, async () => {
        isErrorPage(await submitTo(base, "/oauth/authorize", ada.headers, { ticket, answer: "allow" }));
      });
      const unsigned = await submitTo(base, "/oauth/authorize", [], { ticket, answer: "allow" });
      assert.equal(unsigned.status, 401);
    });
  });

  it("codes that no terminal shows: the form again, with the text escaped", async () => {
    for (const user_code of [
      "",
      "BCDFGHJK",
      "AEIO-UAEI",
      '"><script>',
      "B".repeat(500),
      "ＢＣＤＦＧＨＪＫ",
    ]) {
      const answer = await submitTo(base, "/oauth/device", ada.headers, { user_code });
      assert.equal(answer.status, 400);
      assert.match(answer.text, /role="alert"/);
      assert.doesNotMatch(answer.text, /<script|name="ticket"/);
    }
  });
});
