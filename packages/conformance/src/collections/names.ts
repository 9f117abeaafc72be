import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { CollectionPolicy } from "@easel/protocol/policy";
import { type Stage, stage } from "../fixture.ts";
import { JSON_TYPE, type Page } from "../page.ts";
import { collecting } from "../policy.ts";
import { answered, refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { add, entriesIn } from "./entry.ts";

/**
 * Valid names of collections: 1 to 80 ASCII letters, digits, dots, colons, underscores or hyphens, of which the first is a letter or digit.
 */
const NAMES = [
  ...["a", "A", "0", "007", "a.b:c_d-E9", "a..b", "a.", "a:", "a-", "a_"],
  ...["permissions", "count", "increment", "mine", "user", "toJSON", "then", "null", "n".repeat(80)],
];

/** Names that have a valid form but are refused, because they mean something in JavaScript: properties of every object, and `prototype`. */
const RESERVED = [
  ...["constructor", "toString", "valueOf", "hasOwnProperty", "isPrototypeOf", "prototype"],
  ...["propertyIsEnumerable", "toLocaleString"],
];

const NO_NAMES = [
  ...["-a", ".a", "_a", ":a", ".", "%2e%2e", "__proto__", "__defineGetter__", "%20", "a%20b", "a+b"],
  ...["a%2Fb", "a%5Cb", "%C3%A4", "a%CC%88", "a%00", "a%0A", "a%25", "a,b", "a;b", "a@b", "a*"],
  ...["%F0%9F%98%80", "n".repeat(81), "n".repeat(500)],
];

/** Ids that no record has. */
const IDS = [
  ...["a", "0", "r-1", "ABC", "mine", "constructor", "toString", "00000000-0000-7000-8000-000000000000"],
  ...["guest:a-1", "__proto__", "%2e", "%2e%2e", "a.b", "a_b", "%20", "a%2Fb", "%C3%A4", "a%00", "a%0A"],
  ...["*", "%25", "'", "i".repeat(128), "i".repeat(129), "i".repeat(3_000)],
];

const everyRoute = async (page: Page, name: string) => [
  await page.get(`/collections/${name}`),
  await page.post(`/collections/${name}`, 1),
  await page.delete(`/collections/${name}`),
  await page.get(`/collections/${name}/permissions`),
  await page.get(`/collections/${name}/count`),
  ...(await onRecord(page, name, "r-1")),
];

const onRecord = async (page: Page, name: string, id: string) => [
  await page.get(`/collections/${name}/${id}`),
  await page.put(`/collections/${name}/${id}`, 1),
  await page.delete(`/collections/${name}/${id}`),
  await page.post(`/collections/${name}/${id}/increment`, { by: 1 }),
];

/** Tests names of collections, and record ids that are not found. */
export function names(target: Target): void {
  describe("names and ids", () => {
    let canvas: Stage;
    before(async () => {
      const policy: CollectionPolicy = { preset: "collaborative", aggregateCount: "viewers" };
      canvas = await collecting(target, Object.fromEntries(NAMES.map((name) => [name, policy])));
    });

    for (const name of NAMES) {
      it(`${short(name)} names a collection of its own`, async () => {
        const { viewer } = canvas.pages;
        const made = await add(viewer, name, name);
        answered(await viewer.get(`/collections/${name}/${made.id}`), made);
        assert.deepEqual(await entriesIn(viewer, name), [made]);
        answered(await viewer.get(`/collections/${name}/count`), { count: 1 });
        assert.equal((await viewer.get(`/collections/${name}/permissions`)).status, 200);
      });
    }

    it("names are decoded once", async () => {
      const { viewer } = canvas.pages;
      const made = await entriesIn(viewer, "a:");
      assert.deepEqual(await entriesIn(viewer, "%61%3A"), made);
      refused(await viewer.get("/collections/%2561"), 400, "INVALID_BODY");
    });

    for (const name of RESERVED) {
      it(`${name} is no valid name, as in a policy: 400 INVALID_BODY on every route`, async () => {
        const bare = await stage(target, { people: canvas.people });
        for (const { pages } of [canvas, bare]) {
          for (const answer of await everyRoute(pages.owner, name)) refused(answer, 400, "INVALID_BODY");
        }
      });
    }

    for (const name of NO_NAMES) {
      it(`${short(name)} is no valid name: 400 INVALID_BODY on every route`, async () => {
        for (const answer of await everyRoute(canvas.pages.owner, name)) refused(answer, 400, "INVALID_BODY");
      });
    }

    for (const id of IDS) {
      it(`${short(id)} is no record: 404 NOT_FOUND`, async () => {
        for (const answer of await onRecord(canvas.pages.owner, "a", id)) refused(answer, 404, "NOT_FOUND");
      });
    }

    it("permissions and count are no records", async () => {
      const { owner } = canvas.pages;
      for (const id of ["permissions", "count"]) {
        const path = `/collections/a/${id}/increment`;
        refused(await owner.send("POST", path, [JSON_TYPE], '{"by":1}'), 404, "NOT_FOUND");
      }
    });

    it("the id of a record is case-sensitive", async () => {
      const { owner } = canvas.pages;
      let made = await add(owner, "a", 1);
      while (made.id === made.id.toUpperCase()) made = await add(owner, "a", 1);
      refused(await owner.get(`/collections/a/${made.id.toUpperCase()}`), 404, "NOT_FOUND");
      const encoded = `%${made.id.charCodeAt(0).toString(16)}${made.id.slice(1)}`;
      answered(await owner.get(`/collections/a/${encoded}`), made);
    });
  });
}

const short = (text: string) => (text.length > 40 ? `${text.slice(0, 10)}… (${text.length})` : text);
