import assert from "node:assert/strict";
import type { ErrorCode } from "@easel/protocol/errors";
import { Browser } from "../browser.ts";
import { type Setup, type Stage, stage } from "../fixture.ts";
import type { Answer } from "../http.ts";
import { publish } from "../lifecycle.ts";
import { refused, signsIn, unauthenticated } from "../refusal.ts";
import type { Person, Target } from "../target.ts";

/** The text of every page in these tests. */
export const PAGE = "<title>A page</title>The page of the canvas.";

/** The password of the test canvases that have one. */
export const PASSWORD = "open, sesame";

/** The outcome for a caller who has not submitted the password. */
export const LOCKED: [status: number, code: ErrorCode] = [403, "PASSWORD_REQUIRED"];

/**
 * The expected outcome of requests to the API and to the page of a canvas. `in` means that both succeed, and a status with a code that both
 * are refused. `turned away` means that the caller is asked to sign in.
 */
export type Outcome = "in" | [status: number, code: ErrorCode] | "turned away";

/** Creates a canvas and publishes `PAGE` as its page. */
export async function siteOf(target: Target, setup?: Setup): Promise<Stage> {
  const site = await stage(target, setup);
  await publish(target, site, PAGE);
  return site;
}

/** Submits the password of a canvas in a new browser, and returns the browser. If `person` is null, an anonymous caller uses it. */
export async function unlocked(
  target: Target,
  { slug }: Stage,
  person: Person | null,
  password = PASSWORD,
): Promise<Browser> {
  const browser = new Browser(target, person);
  const answer = await browser.unlock(slug, password);
  assert.equal(answer.status, 303, answer.text.slice(0, 300));
  return browser;
}

/** Requests `GET /me` and the page of the canvas with this browser. Asserts that both responses have the expected outcome. */
export async function finds(target: Target, site: Stage, browser: Browser, outcome: Outcome): Promise<void> {
  await findsApi(target, site, browser, outcome);
  await findsPage(target, site, browser, outcome);
}

/** Requests `GET /me` with this browser. Asserts that the response has the expected outcome. */
export async function findsApi({ authMode }: Target, { slug }: Stage, browser: Browser, outcome: Outcome) {
  const answer = await browser.api(slug).get("/me");
  if (outcome === "in") assert.equal(answer.status, 200, answer.text);
  else if (outcome === "turned away") unauthenticated(answer, { authMode });
  else refused(answer, ...outcome);
}

/** Requests the page of the canvas with this browser. Asserts that the response has the expected outcome. */
export async function findsPage(target: Target, { slug }: Stage, browser: Browser, outcome: Outcome) {
  const answer = await browser.canvas(slug);
  if (outcome === "in") shown(answer);
  else if (outcome === "turned away") turnedAway(answer, target);
  else hidden(answer, outcome[0]);
}

/** Asserts that a response is the canvas's page. */
export function shown(answer: Answer): void {
  assert.deepEqual([answer.status, answer.text], [200, PAGE]);
}

/** Asserts that a response is an HTML page with this status, and not the page of the canvas. */
export function hidden(answer: Answer, status: number): void {
  assert.equal(answer.status, status, answer.text.slice(0, 300));
  assert.match(answer.headers["content-type"] ?? "", /^text\/html\b/);
  assert.ok(!answer.text.includes(PAGE));
}

/** Asserts the response to an anonymous navigation: a redirect to the login route, or 401 in proxy mode. */
function turnedAway(answer: Answer, { authMode }: Target): void {
  if (authMode === "proxy") assert.equal(answer.status, 401, answer.text.slice(0, 300));
  else signsIn(answer);
}
