import assert from "node:assert/strict";
import type { ErrorCode } from "@easel/protocol/errors";
import { Browser } from "../browser.ts";
import { type Setup, type Stage, stage } from "../fixture.ts";
import type { Answer } from "../http.ts";
import { publish } from "../lifecycle.ts";
import { refused, signsIn, unauthenticated } from "../refusal.ts";
import type { Person, Target } from "../target.ts";

/** What the page of every site here says. */
export const PAGE = "<title>A page</title>The page of the canvas.";

/** The password of a site that has one. */
export const PASSWORD = "open, sesame";

/** How a visit ends without it. */
export const LOCKED: [status: number, code: ErrorCode] = [403, "PASSWORD_REQUIRED"];

/** How a visit ends, by API and page alike: let in, refused, or asked to sign in. */
export type Outcome = "in" | [status: number, code: ErrorCode] | "turned away";

/** A canvas with a page. */
export async function siteOf(target: Target, setup?: Setup): Promise<Stage> {
  const site = await stage(target, setup);
  await publish(target, site, PAGE);
  return site;
}

/** The browser of somebody who has given the password. */
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

/** `GET /me` and the canvas's page end like this, for this browser and from this request on. */
export async function finds(target: Target, site: Stage, browser: Browser, outcome: Outcome): Promise<void> {
  await findsApi(target, site, browser, outcome);
  await findsPage(target, site, browser, outcome);
}

/** `GET /me` ends like this. */
export async function findsApi({ authMode }: Target, { slug }: Stage, browser: Browser, outcome: Outcome) {
  const answer = await browser.api(slug).get("/me");
  if (outcome === "in") assert.equal(answer.status, 200, answer.text);
  else if (outcome === "turned away") unauthenticated(answer, { authMode });
  else refused(answer, ...outcome);
}

/** The canvas's page ends like this. */
export async function findsPage(target: Target, { slug }: Stage, browser: Browser, outcome: Outcome) {
  const answer = await browser.canvas(slug);
  if (outcome === "in") shown(answer);
  else if (outcome === "turned away") turnedAway(answer, target);
  else hidden(answer, outcome[0]);
}

/** The answer is the canvas's page. */
export function shown(answer: Answer): void {
  assert.deepEqual([answer.status, answer.text], [200, PAGE]);
}

/** The answer is a page of the service's own that says no. */
export function hidden(answer: Answer, status: number): void {
  assert.equal(answer.status, status, answer.text.slice(0, 300));
  assert.match(answer.headers["content-type"] ?? "", /^text\/html\b/);
  assert.ok(!answer.text.includes(PAGE));
}

/** The answer to a navigation by nobody: the way to sign in, and in proxy mode, which has none, 401. */
function turnedAway(answer: Answer, { authMode }: Target): void {
  if (authMode === "proxy") assert.equal(answer.status, 401, answer.text.slice(0, 300));
  else signsIn(answer);
}
