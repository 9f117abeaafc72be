import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, mock, test } from "node:test";
import { LIMITS } from "@easel/protocol/limits";
import type { PageError } from "@easel/protocol/management";
import { EaselError } from "../src/errors.ts";
import type { Api } from "../src/request.ts";

/** The module is for browsers, so it is not among the sources of this program, which has no types of them. */
const MODULE: string = import.meta.resolve("../src/page-errors/report-errors.ts");
const { startReports } = (await import(MODULE)) as { startReports(api: Pick<Api, "url" | "send">): void };

type Report = PageError & { code: string; message: string };

/** A request with errors. */
interface Sent {
  errors: Report[];
  init: RequestInit;
}

/** An element whose file does not load. */
class FakeElement extends EventTarget {
  readonly localName;
  constructor(localName: string, fields: object) {
    super();
    this.localName = localName;
    Object.assign(this, fields);
  }
}

const CANVAS = "https://easel.example/c/tea/";
const API = "https://easel.example/v1/c/tea";

let page: EventTarget;
/** The events of the document, which are not those of the window. */
let doc: EventTarget & { hidden: boolean };
let sent: Sent[];
let answer: () => Promise<unknown>;

/** Starts the reports of a page that the service has told `timing`, at an address. */
function start(
  timing: object | null = { name: "easel", description: "" },
  href = `${CANVAS}?a=1`,
  api = API,
) {
  const { origin, pathname } = new URL(href);
  const serverTiming = timing === null ? [] : [{ name: "other" }, timing];
  Object.assign(globalThis, {
    Element: FakeElement,
    addEventListener: page.addEventListener.bind(page),
    document: doc,
    location: { href, origin, pathname },
  });
  mock.method(performance, "getEntriesByType", () => [{ serverTiming }]);
  startReports({
    url: (path) => api + path,
    async send(method, path, init = {}) {
      assert.deepEqual([method, path], ["POST", "/page-errors"]);
      sent.push({ ...(JSON.parse(String(init.body)) as { errors: Report[] }), init });
      return (await answer()) as Response;
    },
  });
}

const fire = (type: string, fields: object, target?: EventTarget) => {
  const event = Object.assign(new Event(type), {});
  for (const [name, value] of Object.entries({ target: target ?? globalThis, ...fields }))
    Object.defineProperty(event, name, { get: () => value });
  page.dispatchEvent(event);
};
const script = (message: string, fields: object = {}) =>
  fire("error", { message, filename: `${CANVAS}app.js?v=2`, lineno: 3, colno: 14, ...fields });
const load = (localName: string, fields: object) => fire("error", {}, new FakeElement(localName, fields));
const rejection = (reason: unknown) => fire("unhandledrejection", { reason });
const violation = (blockedURI: string) =>
  fire("securitypolicyviolation", {
    effectiveDirective: "img-src",
    blockedURI,
    sourceFile: `${CANVAS}app.js`,
    lineNumber: 5,
    columnNumber: 6,
  });
const hide = (hidden: boolean) => {
  doc.hidden = hidden;
  doc.dispatchEvent(new Event("visibilitychange"));
};
const tick = (ms: number) => mock.timers.tick(ms);
const reports = () => sent.flatMap(({ errors }) => errors);

const GLOBALS = ["Element", "addEventListener", "document", "location"];

describe("errors of pages", () => {
  beforeEach(() => {
    [page, doc] = [new EventTarget(), Object.assign(new EventTarget(), { hidden: false })];
    sent = [];
    answer = async () => null;
    mock.timers.enable({ apis: ["setTimeout"] });
  });
  afterEach(() => {
    mock.timers.reset();
    mock.restoreAll();
    for (const name of GLOBALS) Reflect.deleteProperty(globalThis, name);
  });

  test("a page whose service has not asked for errors reports none, and listens to nothing", () => {
    mock.method(page, "addEventListener", () => assert.fail());
    start(null);
    script("Uncaught Error: a");
    tick(120_000);
    assert.deepEqual(sent, []);
  });

  test("each kind of error says what, where and in which page", () => {
    start({ name: "easel", description: "preview" });
    script("Uncaught TypeError: tea is not a function");
    script("Uncaught Error: inline", { filename: `${CANVAS}?a=1`, lineno: 9, colno: 2 });
    script("Script error.", { filename: "", lineno: 0, colno: 0 });
    const reason = new RangeError("no tea");
    reason.stack = `RangeError: no tea of https://tea.example/a\n    at f (https://easel.example/sdk/v1.js:1:20)
    at async load (${CANVAS}lib/load.js?x:7:8)\n    at ${CANVAS}app.js:1:2`;
    rejection(reason);
    rejection("a text");
    load("img", { currentSrc: `${CANVAS}cup.png?secret`, src: "no" });
    load("link", { href: "https://cdn.example/a.css" });
    load("image", { href: { baseVal: "cup.png" } });
    violation("https://tracker.example/pixel?who=ada");
    violation("inline");
    assert.deepEqual(sent, []);
    tick(1_000);
    assert.equal(sent.length, 1);
    const place = (source: string | null, line: number | null, column: number | null) => ({
      source,
      line,
      column,
    });
    const nowhere = place(null, null, null);
    const blocks = "The content security policy (img-src) blocks this";
    assert.deepEqual(
      reports(),
      [
        {
          code: "SCRIPT_ERROR",
          message: "Uncaught TypeError: tea is not a function",
          ...place("/app.js", 3, 14),
        },
        { code: "SCRIPT_ERROR", message: "Uncaught Error: inline", ...place(null, 9, 2) },
        { code: "SCRIPT_ERROR", message: "Script error.", ...nowhere },
        {
          code: "SCRIPT_ERROR",
          message: "Unhandled rejection: RangeError: no tea",
          ...place("/lib/load.js", 7, 8),
        },
        { code: "SCRIPT_ERROR", message: "Unhandled rejection: a text", ...nowhere },
        { code: "LOAD_FAILED", message: "<img> did not load: /cup.png", ...nowhere },
        { code: "LOAD_FAILED", message: "<link> did not load: https://cdn.example/a.css", ...nowhere },
        { code: "LOAD_FAILED", message: "<image> did not load", ...nowhere },
        {
          code: "CSP_VIOLATION",
          message: `${blocks}: https://tracker.example/pixel`,
          ...place("/app.js", 5, 6),
        },
        { code: "CSP_VIOLATION", message: `${blocks}: inline`, ...place("/app.js", 5, 6) },
      ].map((each) => ({ ...each, page: "/", count: 1, preview: true })),
    );
    const { keepalive, headers } = (sent as Sent[])[0]?.init ?? {};
    // Without the content type of JSON, the browser sends no preflight.
    assert.deepEqual([keepalive, headers], [true, undefined]);
  });

  test("on the host of a canvas, its address is the origin", () => {
    start(undefined, "https://tea.easel.example/c/cups/?a#b");
    script("a", { filename: "https://tea.easel.example/app.js" });
    tick(1_000);
    assert.deepEqual(
      reports().map(({ page, source, preview }) => [page, source, preview]),
      [["/c/cups/", "/app.js", false]],
    );
  });

  test("errors that are the same are counted: the first is reported at once, the others at the end of the minute", () => {
    start();
    for (let second = 0; second < 59; second++) {
      script("a");
      script("a");
      // An error that is new does not take the times of others along.
      if (second === 30) script("b");
      tick(1_000);
    }
    const told = () => reports().map(({ message, count }) => `${count} ${message}`);
    assert.deepEqual(told(), ["2 a", "1 b"]);
    tick(1_000);
    assert.deepEqual(told(), ["2 a", "1 b", "116 a"]);
    script("a");
    tick(1_000);
    assert.deepEqual(told(), ["2 a", "1 b", "116 a", "1 a"]);
  });

  test("a page in a loop reports at most 20 different errors a minute, in few requests", () => {
    start();
    for (let index = 0; index < 10_000; index++) script(`${index}`);
    tick(59_000);
    assert.deepEqual([sent.length, reports().length], [1, LIMITS.pageErrorsPerMinute.value]);
    tick(1_000);
    script("later");
    tick(1_000);
    assert.equal(reports().at(-1)?.message, "later");
  });

  test("texts are cut", () => {
    start();
    script("m".repeat(10_000), { filename: `${CANVAS}${"f".repeat(10_000)}` });
    tick(1_000);
    const [{ message, source } = assert.fail()] = reports();
    const most = LIMITS.pageErrorLength.value;
    assert.deepEqual([message.length, source?.length], [most, most]);
  });

  test("what waits is sent when the page is hidden, and errors of a hidden page at once, each once", () => {
    start();
    script("a");
    tick(1_000);
    script("a");
    script("b");
    hide(true);
    assert.deepEqual(
      reports().map(({ message, count }) => [message, count]),
      [
        ["a", 1],
        ["a", 1],
        ["b", 1],
      ],
    );
    script("c");
    for (let index = 0; index < 100; index++) script("c");
    assert.equal(sent.length, 3);
    assert.equal(reports().at(-1)?.message, "c");
    hide(false);
    script("d");
    assert.equal(sent.length, 3);
  });

  test("what the policy blocks is no failed load besides, in either order", () => {
    start();
    const [one, two] = ["https://a.example/1.png", "https://a.example/2.png"];
    load("img", { src: one });
    violation(one);
    violation(two);
    load("img", { src: two });
    tick(1_000);
    assert.deepEqual(
      reports().map(({ code }) => code),
      ["CSP_VIOLATION", "CSP_VIOLATION"],
    );
  });

  test("reports that fail cause no further ones; a refusal ends them, other failures do not", async () => {
    start();
    const failing = async (error: unknown) => {
      answer = () => Promise.reject(error);
      script(`${sent.length}`);
      tick(1_000);
      await new Promise(setImmediate);
    };
    for (const error of [
      null,
      "x",
      new EaselError({ status: 0, message: "" }),
      new EaselError({ status: 429, message: "" }),
      new EaselError({ status: 503, message: "" }),
    ])
      await failing(error);
    assert.equal(sent.length, 5);
    violation(`${API}/page-errors`);
    tick(1_000);
    assert.equal(sent.length, 5);
    await failing(new EaselError({ status: 403, message: "" }));
    assert.equal(sent.length, 6);
    script("more");
    tick(120_000);
    assert.equal(sent.length, 6);
  });

  test("what a page throws or replaces causes no error of the SDK", () => {
    start();
    const hostile = {
      get stack() {
        throw new Error("stack");
      },
      toString() {
        throw new Error("text");
      },
    };
    for (const reason of [
      hostile,
      Object.create(null),
      Symbol("s"),
      undefined,
      null,
      new Proxy({}, { get: () => assert.fail() }),
    ])
      rejection(reason);
    script("b", { filename: "http://[" });
    Object.assign(globalThis, { location: null });
    script("a");
    tick(1_000);
    assert.deepEqual(
      reports().map(({ message }) => message),
      ["Unhandled rejection: undefined", "Unhandled rejection: null"],
    );
  });
});
