import { before, describe, it } from "node:test";
import type { Access } from "@easel/protocol/types";
import { mayPublish } from "../admin.ts";
import { Browser } from "../browser.ts";
import { type Stage, share } from "../fixture.ts";
import { guestOf } from "../guest.ts";
import { freshEmail, type Person, type Target } from "../target.ts";
import { makeTeam } from "../team.ts";
import { finds, findsApi, findsPage, type Outcome, siteOf } from "./site.ts";

const WHO = [
  "owner",
  "editor on the list",
  "editor by a team",
  "viewer on the list",
  "viewer by a team",
  "member",
  "administrator",
  "guest",
  "guest of another canvas",
  "nobody",
] as const;
type Who = (typeof WHO)[number];

const SHUT: Outcome = [404, "OWNER_ONLY"];
const FOREIGN: Outcome = [404, "NOT_INVITED"];
/** The outcome where the page is shown but the runtime API is refused. */
const STATIC = "static";

type Row = [name: string, access: Access, ownerMayPublish: boolean, outcomes: (Outcome | typeof STATIC)[]];

/**
 * Each row has an access setting of the canvas, whether the owner may publish Public links, and the expected outcome for each caller. The
 * outcomes are in the order of `WHO` (specification 4.1, step 3, and 5).
 */
const ROWS: Row[] = [
  ["private", "private", true, ["in", "in", "in", "in", "in", SHUT, SHUT, "in", FOREIGN, "turned away"]],
  ["Whole org", "whole_org", true, ["in", "in", "in", "in", "in", "in", "in", "in", FOREIGN, "turned away"]],
  [
    "Public link",
    "public_link",
    true,
    ["in", "in", "in", STATIC, STATIC, STATIC, STATIC, STATIC, FOREIGN, STATIC],
  ],
  [
    "Public link of an owner who may not",
    "public_link",
    false,
    ["in", "in", "in", STATIC, STATIC, SHUT, SHUT, STATIC, FOREIGN, "turned away"],
  ],
];

/** Tests which callers can use the API and see the page under each access setting (specification 5). */
export function principals(target: Target): void {
  describe("principals", () => {
    let site: Stage;
    let browsers: Record<Who, Browser>;
    let teams: { id: string; role: "editor" | "viewer" }[];
    before(async () => {
      site = await siteOf(target);
      const { owner, editor, viewer, stranger } = site.people;
      const [second, third] = [
        await target.signIn(freshEmail("team")),
        await target.signIn(freshEmail("team")),
      ];
      teams = [
        { id: (await makeTeam(target, owner, [second])).id, role: "editor" },
        { id: (await makeTeam(target, owner, [third])).id, role: "viewer" },
      ];
      const people: (Person | null)[] = [
        owner,
        editor,
        second,
        viewer,
        third,
        stranger,
        await target.signIn(target.admin),
        await guestOf(target, site),
        await guestOf(target, await siteOf(target)),
        null,
      ];
      const entries = WHO.map((who, index) => [who, new Browser(target, people[index] ?? null)]);
      browsers = Object.fromEntries(entries) as typeof browsers;
    });

    for (const [name, access, ownerMayPublish, outcomes] of ROWS) {
      it(name, async (t) => {
        await mayPublish(target, site.people.owner, true);
        await share(target, site, access, { editor: "editor", viewer: "viewer" }, { teams });
        await mayPublish(target, site.people.owner, ownerMayPublish);
        for (const [index, who] of WHO.entries()) {
          await t.test(`${who}: ${outcomes[index]}`, async () => {
            const outcome = outcomes[index] ?? STATIC;
            if (outcome !== STATIC) return finds(target, site, browsers[who], outcome);
            await findsApi(target, site, browsers[who], [403, "STATIC_ONLY"]);
            await findsPage(target, site, browsers[who], "in");
          });
        }
      });
    }
  });
}
