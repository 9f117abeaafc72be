import { before, describe, it } from "node:test";
import type { ErrorCode } from "@easel/protocol/errors";
import { disable } from "../admin.ts";
import { hidden, PAGE, shown, siteOf } from "../authentication/site.ts";
import { Browser } from "../browser.ts";
import { type Cast, cast, type Role, type Stage, stage } from "../fixture.ts";
import { archive, expire, publish, remove, unpublish } from "../lifecycle.ts";
import { pageUrl } from "../page.ts";
import { refused } from "../refusal.ts";
import type { Target } from "../target.ts";

type Refusal = [status: number, code: ErrorCode];
type Row = [
  state: string,
  enter: (target: Target, site: Stage) => Promise<void>,
  owner: Refusal | null,
  viewer: Refusal,
];

const ROWS: Row[] = [
  ["unpublished", unpublish, [404, "NOT_FOUND"], [404, "NOT_FOUND"]],
  ["expired", expire, null, [404, "SHARE_EXPIRED"]],
  ["archived", archive, [404, "ARCHIVED"], [404, "ARCHIVED"]],
  ["disabled", disable, [403, "DISABLED"], [403, "DISABLED"]],
  ["deleted", remove, [404, "NOT_FOUND"], [404, "NOT_FOUND"]],
];

/** Tests that the page of a canvas is refused in states such as `archived` or `expired`. A browser gets an HTML page that says so. */
export function states(target: Target): void {
  describe("states", () => {
    let people: Cast;
    before(async () => {
      people = await cast(target);
    });
    const closed = async (browser: Browser, slug: string, [status, code]: Refusal) => {
      hidden(await browser.canvas(slug), status);
      refused(await browser.send("GET", new URL(pageUrl(target, slug))), status, code);
    };

    for (const [state, enter, owner, viewer] of ROWS) {
      it(`${state}: ${viewer[0]} ${viewer[1]}${owner === null ? ", and open to the owner" : ""}`, async () => {
        const site = await siteOf(target, { people });
        const browsers = {
          owner: new Browser(target, people.owner),
          viewer: new Browser(target, people.viewer),
        };
        for (const role of ["owner", "viewer"] as const) shown(await browsers[role].canvas(site.slug));
        await enter(target, site);
        if (owner === null) shown(await browsers.owner.canvas(site.slug));
        else await closed(browsers.owner, site.slug, owner);
        await closed(browsers.viewer, site.slug, viewer);
      });
    }

    it("a draft: 404 NOT_FOUND, until its first deploy", async () => {
      const draft = await stage(target, { people });
      const browsers = (["owner", "viewer"] satisfies Role[]).map(
        (role) => new Browser(target, people[role]),
      );
      for (const browser of browsers) await closed(browser, draft.slug, [404, "NOT_FOUND"]);
      await publish(target, draft, PAGE);
      for (const browser of browsers) shown(await browser.canvas(draft.slug));
    });
  });
}
