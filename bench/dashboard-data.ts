import assert from "node:assert/strict";
import { manage } from "@easel/conformance/fixture";
import { open as openPage } from "@easel/conformance/page";
import type { Page } from "playwright-core";
import { OBSERVE, scroll, seenOf, withDashboard } from "./browser-page.ts";
import { figure, median, type Table } from "./table.ts";

const RECORDS = 10_000;
/** The number of requests that are sent at once. */
const AT_ONCE = 20;
/** Odd numbers, because medians are printed. */
const CHANGES = 21;
const ROUNDS = 3;
const ADA = "ada@example.com";
const BO = "bo@example.com";

/** Notes when a text first is in the grid, as epoch milliseconds at the end of the frame that shows it. */
const AWAIT_TEXT = `(text) => {
  window.shownAt = new Promise((resolve) => {
    const grid = document.querySelector(".data-grid-frame");
    const look = () => {
      if (!grid.textContent.includes(text)) return false;
      requestAnimationFrame(() => setTimeout(() => resolve(performance.timeOrigin + performance.now())));
      return true;
    };
    const observer = new MutationObserver(() => look() && observer.disconnect());
    observer.observe(grid, { subtree: true, childList: true, characterData: true });
  });
}`;

const inEpoch = () => performance.timeOrigin + performance.now();

/**
 * Measures the records of the dashboard with a collection of 10,000: how long it takes until they are there, until a change by somebody
 * else is, and what scrolling costs.
 */
export const dashboardData = (): Promise<Table> =>
  withDashboard(async ({ target, open }) => {
    const [ada, bo] = [await target.signIn(ADA), await target.signIn(BO)];
    const call = async (method: string, path: string, body: object) => {
      const { status, json, text } = await manage(target, ada, method, `/api/canvases${path}`, body);
      assert.ok(status < 300, text);
      return json;
    };
    const { id, slug } = await call("POST", "", { title: "Ideas" });
    await call("PATCH", `/${id}/capabilities`, {
      backendEnabled: true,
      expectedRuntimePolicy: null,
      runtimePolicy: { collections: { ideas: { preset: "collaborative" } } },
    });
    await call("PUT", `/${id}/sharing`, { people: [{ email: BO, role: "editor" }] });
    const page = openPage(target, String(slug), bo);
    const ids = new Map<string, string>();
    for (let made = 0; made < RECORDS; made += AT_ONCE)
      await Promise.all(
        Array.from({ length: AT_ONCE }, async (_, at) => {
          const idea = `idea ${made + at}`;
          const value = {
            idea,
            votes: at,
            note: "Something that somebody has written about it.",
            done: at % 2 === 0,
          };
          const { status, json, text } = await page.post("/collections/ideas", value);
          assert.equal(status, 201, text);
          ids.set(idea, String(json.id));
        }),
      );

    const usable: number[] = [];
    const frames: number[] = [];
    const rows: number[] = [];
    const changes: number[] = [];
    const withAll: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const { page: screen, context } = await open(ADA, "/account");
      await screen.getByRole("heading", { name: "Account" }).waitFor();
      await screen.addInitScript(OBSERVE);
      await screen.goto(new URL(`/canvases/${id}/data?show=collection:ideas`, screen.url()).href);
      await screen.locator(".data-grid-row").first().waitFor();
      usable.push(await screen.evaluate<number>("performance.now()"));
      await screen.waitForTimeout(1_000);
      const seenChanges = async (note: string): Promise<number[]> => {
        const figures: number[] = [];
        for (let count = 0; count < CHANGES; count++) {
          figures.push(
            await changeSeen(screen, `${note} ${count};`, ids, (of, value) =>
              page.put(`/collections/ideas/${of}`, value),
            ),
          );
          await screen.waitForTimeout(300);
        }
        return figures;
      };
      if (round === 0) changes.push(...(await seenChanges("changed")));
      await scroll(screen);
      frames.push((await seenOf(screen)).frame);
      rows.push(await screen.locator(".data-grid-row").count());
      if (round === ROUNDS - 1) {
        await screen.locator(".data-grid-row").first().press("Control+End");
        await screen.getByText("idea 0", { exact: true }).waitFor();
        withAll.push(...(await seenChanges("changed again")));
      }
      await context.close();
    }
    const row = (name: string, figures: number[], target: string) => [
      name,
      figure(median(figures)),
      figure(Math.max(...figures)),
      target,
    ];
    return {
      title: "dashboard: a collection of 10,000 records",
      conditions: `Medians of ${ROUNDS} rounds, each in a new browser context, and of ${CHANGES} changes; the service is in the process of the benchmark. Node ${process.version}.`,
      columns: ["", "median", "highest", "target"],
      rows: [
        row("navigation to the records, ms", usable, ""),
        row("a change of another person, from its request to the frame that shows it, ms", changes, "< 200"),
        row("the same, with all records read by the page, ms", withAll, "< 200"),
        row("longest frame while scrolling, ms (0: none over 50)", frames, "< 100"),
        row("rows in the document", rows, "<= 60"),
      ],
    };
  });

/** Changes the first record that a screen shows. Returns the time from the request until it is shown, in milliseconds. */
async function changeSeen(
  screen: Page,
  note: string,
  ids: ReadonlyMap<string, string>,
  put: (id: string, value: { idea: string; note: string }) => Promise<{ status: number }>,
): Promise<number> {
  const shown = await screen.locator(".data-grid-row").first().innerText();
  const idea = /idea \d+/.exec(shown)?.[0] ?? assert.fail(shown);
  await screen.evaluate(`(${AWAIT_TEXT})(${JSON.stringify(note)})`);
  const sent = inEpoch();
  const { status } = await put(ids.get(idea) ?? assert.fail(idea), { idea, note });
  assert.equal(status, 200);
  return (await screen.evaluate<number>("window.shownAt")) - sent;
}
