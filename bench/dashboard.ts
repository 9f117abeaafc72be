import type { CDPSession, Page } from "playwright-core";
import type { Dashboard } from "../packages/server/test/support/serve-dashboard.ts";
import { forget, OBSERVE, type Seen, scroll, seenOf, withDashboard } from "./browser-page.ts";
import { figure, median, type Table } from "./table.ts";

const CANVASES = 10_000;
/** An odd number, because medians are printed. */
const ROUNDS = 5;
const EMAIL = "ada@example.com";
const MIB = 1024 * 1024;

const now = (page: Page): Promise<number> => page.evaluate<number>("performance.now()");

/** Returns the bytes of the JavaScript heap after a garbage collection. */
async function heapOf(session: CDPSession): Promise<number> {
  await session.send("HeapProfiler.collectGarbage");
  return (await session.send("Runtime.getHeapUsage")).usedSize;
}

/**
 * Measures the dashboard of somebody with 10,000 canvases in Chromium: how long it takes until the list can be used, what typing into its
 * search and scrolling cost, the time of a change of screens, and what ten screens leave in memory.
 */
export async function dashboard(): Promise<Table> {
  return withDashboard(async ({ target, env, open }) => {
    const { headers } = await target.signIn(EMAIL);
    const me = (await (await fetch(`${target.base}/api/me`, { headers })).json()) as { id: string };
    await env.db.run`
      with recursive n (i) as (select 1 union all select i + 1 from n where i < ${CANVASES})
      insert into canvases (id, slug, title, owner_id, created_by, created_at, updated_at)
      select '01a00000-0000-7000-8000-' || printf('%012d', i), 'canvas-' || i, 'Canvas ' || i, ${me.id}, ${me.id}, i, i from n`;
    const rounds: Round[] = [];
    for (let round = 0; round < ROUNDS; round++) rounds.push(await measure(open));
    const row = (name: string, of: (round: Round) => number, decimals: number, target: string) => [
      name,
      figure(median(rounds.map(of)), decimals),
      figure(Math.max(...rounds.map(of)), decimals),
      target,
    ];
    return {
      title: "dashboard: somebody with 10,000 canvases",
      conditions: `Medians of ${ROUNDS} rounds, each in a new browser context; the service is in the process of the benchmark. Node ${process.version}.`,
      columns: ["", "median", "highest", "target"],
      rows: [
        row("navigation to a usable list, ms", ({ usable }) => usable, 0, "< 1,000"),
        row("largest contentful paint, ms", ({ lcp }) => lcp, 0, ""),
        row("layout shifts", ({ cls }) => cls, 3, "< 0.02"),
        row("input to next frame while typing, ms", ({ typing }) => typing, 0, ""),
        row("longest frame while scrolling, ms (0: none over 50)", ({ scrolling }) => scrolling, 0, "< 100"),
        row("change of screens, ms", ({ change }) => change, 0, "< 100"),
        row("heap after ten screens and back, MiB more", ({ heap }) => heap, 2, ""),
      ],
    };
  });
}

type Round = Pick<Seen, "lcp" | "cls"> &
  Record<"usable" | "typing" | "scrolling" | "change" | "heap", number>;

async function measure(open: Dashboard["open"]): Promise<Round> {
  // The first visit fills the cache of the browser, as that of a person has been.
  const { page, context } = await open(EMAIL, "/account");
  await page.getByRole("heading", { name: "Account" }).waitFor();
  await page.addInitScript(OBSERVE);
  const rows = page.locator(".canvas-row");
  await page.goto(new URL("/", page.url()).href);
  await rows.first().waitFor();
  const usable = await now(page);
  await page.waitForTimeout(500);
  const { lcp } = await seenOf(page);

  await page.getByRole("searchbox").focus();
  await forget(page);
  await page.keyboard.type("canvas 12", { delay: 60 });
  await page.waitForTimeout(600);
  const typing = (await seenOf(page)).event;
  await page.keyboard.press("Escape");
  await page.waitForTimeout(500);

  await scroll(page);
  const scrolling = (await seenOf(page)).frame;

  await page.goto(new URL("/canvases/01a00000-0000-7000-8000-000000000007", page.url()).href);
  const link = page.getByRole("link", { name: "Versions", exact: true }).first();
  await link.hover();
  await page.waitForTimeout(300);
  const begun = await now(page);
  await link.click();
  await page.waitForFunction("document.title.startsWith('Versions')");
  const change = (await now(page)) - begun;

  const session = await context.newCDPSession(page);
  const places = ["/account", "/"].map((path) => page.locator(`.rail a.place[href="${path}"]`));
  const before = await heapOf(session);
  for (let count = 0; count < 10; count++) {
    await places[count % 2]?.click();
    await page.waitForTimeout(150);
  }
  await page.goBack();
  await page.waitForTimeout(300);
  const heap = ((await heapOf(session)) - before) / MIB;
  const { cls } = await seenOf(page);
  await context.close();
  return { usable, lcp, cls, typing, scrolling, change, heap };
}
