import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { type Header, send } from "@easel/conformance/http";
import { refused } from "@easel/conformance/refusal";
import { FORM, JSON_TYPE, post } from "../support/client.ts";
import { startDev } from "../support/engines.ts";
import { callAs, DEVICE_GRANT, exchange, failed, newAttempt } from "./oauth-client.ts";
import { changesNothing } from "./oauth-refusals.ts";

const { target, env } = await startDev({ after });
const { base } = target;

describe("hostile requests of programs", () => {
  const PATHS = ["/oauth/token", "/oauth/device_authorization", "/oauth/revoke"];

  for (const path of PATHS) {
    it(`${path}: bodies that are no form, repeat a field or are huge: invalid_request`, async () => {
      const form = "client_id=easel-cli&grant_type=authorization_code&token=x";
      await changesNothing(env, async () => {
        failed(await post(base, path, [JSON_TYPE], "{}"), "invalid_request");
        failed(await post(base, path, [FORM], `${form}&client_id=easel-cli`), "invalid_request");
        failed(await post(base, path, [FORM], `${form}&a=${"a".repeat(9_000)}`), "invalid_request", 413);
        failed(await post(base, path, [FORM], ""), "invalid_client");
        failed(await post(base, path, [FORM], "token=a"), "invalid_client");
      });
    });

    it(`${path}: GET is 404, and a browser gets JSON, too`, async () => {
      const answer = await send(base, { method: "GET", path, headers: [["Accept", "text/html"]] });
      refused(answer, 404, "NOT_FOUND");
    });
  }

  it("a device is one of the command line: other programs are refused", async () => {
    for (const [path, fields] of [
      ["/oauth/device_authorization", "host=a"],
      ["/oauth/token", `grant_type=${encodeURIComponent(DEVICE_GRANT)}&device_code=a`],
    ] as const)
      await changesNothing(env, async () =>
        failed(await post(base, path, [FORM], `client_id=other&${fields}`), "invalid_client"),
      );
  });

  it("grant types that are not known", async () => {
    for (const grant_type of ["password", "client_credentials", "implicit", "__proto__", "constructor"])
      failed(await callAs(base, "/oauth/token", { grant_type }), "unsupported_grant_type");
    failed(await callAs(base, "/oauth/token", {}), "invalid_request");
  });

  it("unknown codes: invalid_grant", async () => {
    const attempt = await newAttempt(base);
    for (const code of ["", "a", "A".repeat(43), "%00", "'"]) {
      failed(await exchange(attempt, code), "invalid_grant");
      failed(
        await callAs(base, "/oauth/token", { grant_type: DEVICE_GRANT, device_code: code }),
        "invalid_grant",
      );
    }
  });

  it("a device asks for an unknown scope: invalid_scope, and nothing waits", async () => {
    await changesNothing(env, async () =>
      failed(await callAs(base, "/oauth/device_authorization", { scope: "admin" }), "invalid_scope"),
    );
  });

  it("revoking an unknown token: 200, and nothing changes", async () => {
    await changesNothing(env, async () => {
      for (const token of ["a", `easel_pat_${"A".repeat(43)}`, "A".repeat(43)])
        assert.equal((await callAs(base, "/oauth/revoke", { token })).status, 200);
      failed(await callAs(base, "/oauth/revoke", {}), "invalid_request");
    });
  });

  const PAGES: [who: string, headers: Header[]][] = [
    ["another origin", [["Origin", "https://evil.example"]]],
    ["another site", [["Sec-Fetch-Site", "cross-site"]]],
    ["another host of the site", [["Sec-Fetch-Site", "same-site"]]],
    ["a sandboxed frame", [["Origin", "null"]]],
    [
      "a canvas in path mode",
      [
        ["Origin", base],
        ["Sec-Fetch-Site", "same-origin"],
        ["Referer", `${base}/c/tea/`],
      ],
    ],
  ];
  for (const [who, headers] of PAGES)
    it(`a page of ${who}: 403 CROSS_SITE_FORBIDDEN, readable by no page, and nothing changes`, async () => {
      await changesNothing(env, async () => {
        for (const path of PATHS) {
          const answer = await post(base, path, [FORM, ...headers], "client_id=easel-cli&token=a");
          refused(answer, 403, "CROSS_SITE_FORBIDDEN");
          assert.equal(answer.headers["access-control-allow-origin"], undefined);
        }
      });
    });

  it("programs that name the service's own origin, or send Sec-Fetch-Mode, are served", async () => {
    for (const headers of [
      [["Origin", base]],
      [["Sec-Fetch-Mode", "cors"]],
      [["Sec-Fetch-Site", "none"]],
    ] as Header[][])
      assert.equal(
        (await post(base, "/oauth/revoke", [FORM, ...headers], "client_id=easel-cli&token=a")).status,
        200,
      );
  });
});
