import assert from "node:assert/strict";
import { after, before, beforeEach, it } from "node:test";
import { manage, type Stage, share, stage, turn } from "@easel/conformance/fixture";
import { guestOf } from "@easel/conformance/guest";
import { type Answer, type Header, send } from "@easel/conformance/http";
import { call, pageHeaders } from "@easel/conformance/page";
import { refused } from "@easel/conformance/refusal";
import type { Person } from "@easel/conformance/target";
import type { ErrorCode } from "@easel/protocol/errors";
import { LIMITS } from "@easel/protocol/limits";
import type { CallLogPage } from "@easel/protocol/management";
import type { Json } from "@easel/protocol/types";
import { CallLog } from "../../../src/async/call-log.ts";
import { BESIDE } from "../../conformance/conformance.ts";
import { onEngines } from "../../support/engines.ts";
import { OpenApiCheck } from "../../support/openapi-check.ts";
import { publish, visit } from "../../support/publish.ts";

const ERROR = { code: "SCRIPT_ERROR", message: "Uncaught TypeError: tea is not a function", page: "/" };
const REPORT = { errors: [ERROR] };

await onEngines("errors that pages report", (target, env) => {
  let site: Stage;
  let version: string;
  /** The cursor of the log at the start of the test. */
  let start: string;

  const read = async (at = site): Promise<CallLogPage> => {
    const after = at === site ? (start ?? "0-0") : "0-0";
    const path = `/api/canvases/${at.id}/log?limit=1000&after=${after}`;
    return (await manage(target, at.people.owner, "GET", path)).json as unknown as CallLogPage;
  };
  const errorsIn = ({ entries }: CallLogPage) => entries.filter(({ pageError }) => pageError !== null);
  const report = (person: Person | null, body: Json = REPORT, canvas = site, headers: Header[] = []) =>
    call(
      target,
      canvas.slug,
      person,
      "POST",
      "/page-errors",
      [...pageHeaders(target, canvas.slug), ...headers],
      JSON.stringify(body),
    );
  const logsNothing = async (answer: Answer, status: number, code?: ErrorCode) => {
    if (code === undefined) assert.equal(answer.status, status, answer.text);
    else refused(answer, status, code);
    assert.deepEqual(errorsIn(await read()), []);
  };

  const openApi = new OpenApiCheck(env);
  before(async () => {
    openApi.start();
    site = await stage(target);
    version = await publish(target, site, { "index.html": "<p>page", "app.js": "1" });
  });
  beforeEach(async () => {
    // Every test has the whole budget of a person.
    start = (await read()).next;
    env.callLog = new CallLog(true);
  });

  after(() => openApi.stop());

  it("are in the log of the canvas, with who had the page open", async () => {
    const place = { source: "/app.js", line: 3, column: 14, count: 2, preview: false };
    const errors = [
      { ...ERROR, ...place },
      { code: "LOAD_FAILED", message: "<img> did not load: /a.png", page: "/b.html" },
    ];
    const at = Date.now();
    const answer = await report(site.people.editor, { errors });
    assert.deepEqual([answer.status, answer.text], [204, ""]);
    const { json } = await manage(target, site.people.editor, "GET", "/api/me");
    const { entries } = await read();
    const requestId = entries[0]?.requestId ?? "";
    const called = {
      method: "POST",
      route: "/page-errors",
      status: 204,
      requestId,
      userId: json.id,
      userName: json.name,
    };
    const nowhere = { source: null, line: null, column: null, count: 1, preview: false };
    assert.deepEqual(
      entries.map(({ at: time, ...entry }) => {
        assert.ok(time >= at && time <= Date.now());
        return entry;
      }),
      [
        { ...called, code: ERROR.code, message: ERROR.message, pageError: { page: "/", ...place } },
        {
          ...called,
          code: errors[1]?.code,
          message: errors[1]?.message,
          pageError: { page: "/b.html", ...nowhere },
        },
      ],
    );
    assert.match(requestId, /./);
  });

  it("come from the owner and editors only, whatever the page says of itself", async () => {
    assert.equal((await report(site.people.owner)).status, 204);
    start = (await read()).next;
    const claims = { role: "owner", canvasRole: "owner", preview: true, userId: "u" };
    const claimed: Header[] = [["X-Easel-Role", "owner"]];
    const claiming = { ...claims, errors: [{ ...ERROR, ...claims }] };
    await logsNothing(await report(site.people.viewer, claiming, site, claimed), 403, "PERMISSION_DENIED");
    await logsNothing(await report(site.people.stranger, claiming), 404, "OWNER_ONLY");
    await logsNothing(await report(null, claiming), 401);
    await logsNothing(await report(await guestOf(target, site), claiming), 403, "PERMISSION_DENIED");
  });

  it("never come from the visitors and viewers of a Public link", async () => {
    const open = await stage(target);
    await publish(target, open, { "index.html": "page" });
    await share(target, open, "public_link", {});
    refused(await report(null, REPORT, open), 403, "STATIC_ONLY");
    refused(await report(open.people.stranger, REPORT, open), 403, "STATIC_ONLY");
    assert.equal((await report(open.people.owner, REPORT, open)).status, 204);
    assert.equal(errorsIn(await read(open)).length, 1);
  });

  it("come from pages of the canvas only", async () => {
    const other = await stage(target, { people: site.people });
    const from = (headers: Header[]) =>
      call(target, site.slug, site.people.owner, "POST", "/page-errors", headers, JSON.stringify(REPORT));
    await logsNothing(await from(pageHeaders(target, other.slug)), 403, "CROSS_CANVAS_FORBIDDEN");
    await logsNothing(
      await from([
        ["Sec-Fetch-Site", "cross-site"],
        ["Origin", "https://evil.example"],
      ]),
      403,
      "CROSS_SITE_FORBIDDEN",
    );
  });

  it("come from pages without a backend, too", async () => {
    await turn(target, site, { backendEnabled: false });
    assert.equal((await report(site.people.owner)).status, 204);
    await turn(target, site, { backendEnabled: true });
    assert.equal(errorsIn(await read()).length, 1);
  });

  it("are limited for each person a minute; further ones are counted, and calls keep their room", async (t) => {
    // The minute must not end amid the reports.
    const { clock } = env;
    const now = clock();
    env.clock = () => now;
    t.after(() => {
      env.clock = clock;
    });
    const most = LIMITS.pageErrorsPerMinute.value;
    const many = { errors: Array.from({ length: most }, (_, index) => ({ ...ERROR, message: `${index}` })) };
    for (let times = 0; times < 10; times++)
      assert.equal((await report(site.people.owner, many)).status, 204);
    assert.equal((await report(site.people.editor)).status, 204);
    refused(await site.pages.viewer.put("/kv/a", 1), 403, "PERMISSION_DENIED");
    const log = await read();
    const { json } = await manage(target, site.people.owner, "GET", "/api/me");
    const own = errorsIn(log).filter(({ userId }) => userId === json.id);
    assert.deepEqual([own.length, errorsIn(log).length, log.entries.length], [most, most + 1, most + 2]);
    assert.equal(log.dropped, 9 * most);
  });

  it("are texts: they are cut, and control characters are replaced", async () => {
    const most = LIMITS.pageErrorLength.value;
    const hostile = "\u0000\u001b[31m\n<script>alert(1)</script>\ud800";
    const long = "x".repeat(5_000);
    const errors = [
      { ...ERROR, message: hostile, page: hostile, source: hostile },
      { ...ERROR, message: long, page: long, source: long },
    ];
    assert.equal((await report(site.people.owner, { errors })).status, 204);
    const [first, second] = errorsIn(await read());
    const clean = "\ufffd\ufffd[31m\ufffd<script>alert(1)</script>\ufffd";
    for (const text of [first?.message, first?.pageError?.page, first?.pageError?.source])
      assert.equal(text, clean);
    for (const text of [second?.message, second?.pageError?.page, second?.pageError?.source])
      assert.equal(text?.length, most);
  });

  const INVALID: [name: string, body: Json][] = [
    ["no errors", { errors: [] }],
    [
      "too many errors",
      { errors: Array.from({ length: LIMITS.pageErrorsPerMinute.value + 1 }, () => ERROR) },
    ],
    ["another code", { errors: [{ ...ERROR, code: "PERMISSION_DENIED" }] }],
    ["no page", { errors: [{ code: ERROR.code, message: "a" }] }],
    ["a line 0", { errors: [{ ...ERROR, line: 0 }] }],
    ["a message that is none", { errors: [{ ...ERROR, message: { toString: "a" } }] }],
    ["a list", [ERROR]],
    ["too many bytes", { errors: [{ ...ERROR, message: "x".repeat(70_000) }] }],
  ];
  for (const [name, body] of INVALID)
    it(`a report with ${name} is 400 INVALID_BODY`, async () =>
      logsNothing(await report(site.people.owner, body), 400, "INVALID_BODY"));

  it("the session of a preview may report, and write nothing else; a token that may only read may not", async () => {
    const path = `/api/canvases/${site.id}/versions/${version}/preview`;
    const { json } = await manage(target, site.people.editor, "POST", path, { signedIn: true });
    const { pathname, search } = new URL(String(json.url));
    const opened = await send(target.base, { method: "GET", path: pathname + search });
    const cookies = (opened.headers["set-cookie"] ?? []).map((cookie) => cookie.split(";")[0]);
    const headers: Header[] = [["Cookie", cookies.join("; ")]];
    const previewer = { ...site.people.editor, headers };
    const other = await stage(target, { people: site.people });

    assert.equal((await call(target, site.slug, previewer, "GET", "/kv")).status, 200);
    assert.equal((await report(previewer)).status, 204);
    assert.deepEqual(
      errorsIn(await read()).map(({ pageError }) => pageError?.preview),
      [true],
    );
    for (const [method, path] of [
      ["PUT", "/kv/a"],
      ["POST", "/kv/a/increment"],
      ["DELETE", "/kv/a"],
      ["PUT", "/submissions/a/mine"],
      ["PUT", "/page-errors"],
    ] as const)
      assert.ok(
        [403, 405].includes((await call(target, site.slug, previewer, method, path, [], "1")).status),
        path,
      );
    refused(await call(target, site.slug, previewer, "PUT", "/kv/a", [], "1"), 403, "PERMISSION_DENIED");
    assert.equal((await report(previewer, REPORT, other)).status, 401);

    start = (await read()).next;
    for (const scope of ["read", "deploy"] as const) {
      const body = { name: "A program", scope };
      const made = await manage(target, site.people.owner, "POST", "/api/tokens", body);
      const program = {
        ...site.people.owner,
        headers: [["Authorization", `Bearer ${made.json.token}`]] as Header[],
      };
      await logsNothing(await report(program), 403, "PERMISSION_DENIED");
    }
  });

  it("every response is as the OpenAPI document describes it", () => {
    assert.deepEqual(openApi.faults, []);
    assert.deepEqual(openApi.unseen(BESIDE), []);
  });

  it("pages of owners and editors are asked for them by a header, also if the browser has them, and no others", async () => {
    const asked = async (person: Person | null, path = "", headers: Header[] = []) =>
      (await visit(target, site.slug, person, path, headers)).headers["server-timing"];
    assert.equal(await asked(site.people.owner), "easel");
    assert.equal(await asked(site.people.editor, "index.html"), "easel");
    const { headers } = await visit(target, site.slug, site.people.owner);
    const known: Header[] = [["If-None-Match", headers.etag ?? ""]];
    const again = await visit(target, site.slug, site.people.owner, "", known);
    assert.deepEqual([again.status, again.headers["server-timing"]], [304, "easel"]);
    assert.equal(await asked(site.people.owner, "app.js"), undefined);
    assert.equal(await asked(site.people.viewer), undefined);
    env.config.callLog = false;
    assert.equal(await asked(site.people.owner), undefined);
    env.config.callLog = true;
  });
});
