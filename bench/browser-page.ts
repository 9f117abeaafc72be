import type { Page } from "playwright-core";
import { launch } from "../packages/server/test/support/chromium.ts";
import { type Dashboard, serveDashboard } from "../packages/server/test/support/serve-dashboard.ts";

/** Starts a service with its dashboard in this process, and a browser. Ends both after `work`. */
export async function withDashboard<Result>(
  work: (dashboard: Dashboard) => Promise<Result>,
): Promise<Result> {
  const ends: (() => Promise<unknown>)[] = [];
  const scope = { after: (end: () => Promise<unknown>) => void ends.push(end) };
  try {
    return await work(
      await serveDashboard(scope, async () => {
        const browser = await launch("shell");
        ends.push(() => browser.close());
        return browser;
      }),
    );
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

/** Records what a page reports of its own performance. Its value is read by `REPORT`. */
export const OBSERVE = `
window.seen = { lcp: 0, cls: 0, event: 0, frame: 0 };
const observe = (type, each, options = {}) =>
  new PerformanceObserver((list) => list.getEntries().forEach(each)).observe({ type, buffered: true, ...options });
observe("largest-contentful-paint", ({ startTime }) => { seen.lcp = startTime; });
observe("layout-shift", ({ value, hadRecentInput }) => { if (!hadRecentInput) seen.cls += value; });
observe("event", ({ duration }) => { seen.event = Math.max(seen.event, duration); }, { durationThreshold: 16 });
observe("long-animation-frame", ({ duration }) => { seen.frame = Math.max(seen.frame, duration); });
`;

/** What a page has reported: times in milliseconds, and the sum of its layout shifts, which has no unit. */
export interface Seen {
  lcp: number;
  cls: number;
  /** The longest time from an input to the next frame. */
  event: number;
  /** The longest frame, 0 if none took more than 50 ms. */
  frame: number;
}

export const seenOf = (page: Page): Promise<Seen> => page.evaluate<Seen>("seen");

/** Forgets the longest frames and delays so far. */
export const forget = (page: Page): Promise<unknown> => page.evaluate("seen.event = seen.frame = 0");

/** Scrolls what is under the middle of the window down by 72,000 pixels, with the wheel, as somebody who looks for something. */
export async function scroll(page: Page): Promise<void> {
  await forget(page);
  await page.mouse.move(640, 500);
  for (let step = 0; step < 60; step++) {
    await page.mouse.wheel(0, 1_200);
    await page.waitForTimeout(30);
  }
  await page.waitForTimeout(300);
}
