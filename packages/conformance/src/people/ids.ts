import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { spend } from "../bucket.ts";
import { add as addRecord } from "../collections/entry.ts";
import { ABSENT, samples } from "../corpus.ts";
import { type Stage, share, stage } from "../fixture.ts";
import { open } from "../page.ts";
import { parallel } from "../parallel.ts";
import { idOf } from "../person-id.ts";
import { collecting } from "../policy.ts";
import { answered, refused, unauthenticated, unshared, wrongMethod } from "../refusal.ts";
import type { Target } from "../target.ts";
import { ask } from "./traces.ts";

const IDS = ["a", "Z", "0", "-", ":", "guest:a-1", "guest%3Aa-1", "constructor", "i".repeat(128)];
const NO_IDS = [
  "",
  "?ids",
  "?ids=",
  "?ids=,",
  "?ids=a,",
  "?ids=,a",
  "?ids=a,,b",
  "?ids=a&ids=",
  "?id=a",
  "?ids[]=a",
  "?IDS=a",
  "?ids=%20",
  "?ids=a,%20b",
  "?ids=a;b",
  "?ids=a.b",
  "?ids=a_b",
  "?ids=__proto__",
  "?ids=%2e%2e%2f",
  "?ids=%C3%A4",
  "?ids=a%00",
  "?ids=a%0A",
  "?ids=a@example.com",
  "?ids=%25",
  "?ids=%F0%9F%98%80",
  "?ids=%ED%A0%80",
  `?ids=${"i".repeat(129)}`,
  `?ids=a,${"i".repeat(500)}`,
];

/** Returns `count` different ids that no person has. */
const some = (count: number) => Array.from({ length: count }, (_, index) => `nobody-${index}`);
const short = (text: string) => (text.length > 40 ? `${text.slice(0, 10)}… (${text.length})` : text);

/** Tests the parameter `ids` of `GET /people`, the methods that the route allows, and the headers of its responses. */
export function ids(target: Target): void {
  describe("ids", () => {
    let canvas: Stage;
    let known: { id: string; name: string; avatarUrl: null }[];
    before(async () => {
      canvas = await collecting(target, { board: { preset: "collaborative" } });
      known = [];
      for (const role of ["owner", "editor", "viewer"] as const) {
        await addRecord(canvas.pages[role], "board", 1);
        known.push({ id: await idOf(canvas.pages[role]), name: canvas.people[role].name, avatarUrl: null });
      }
    });

    it("people come in the order of the ids, each once", async () => {
      const { viewer } = canvas.pages;
      const wanted = known.map(({ id }) => id);
      assert.deepEqual(await ask(viewer, wanted), known);
      assert.deepEqual(await ask(viewer, wanted.toReversed()), known.toReversed());
      assert.deepEqual(await ask(viewer, [...wanted, ...wanted, "nobody", ...wanted]), known);
    });

    it("repeated parameters are one list", async () => {
      const [first, second, third] = known.map(({ id }) => id);
      const answer = await canvas.pages.viewer.get(`/people?ids=${first}&ids=${second},nobody&ids=${third}`);
      answered(answer, { people: known });
    });

    it("a response is private, and has no e-mail address", async () => {
      const answer = await canvas.pages.owner.get(`/people?ids=${known.map(({ id }) => id).join()}`);
      unshared(answer);
      assert.doesNotMatch(answer.text, /@/);
    });

    for (const id of IDS) {
      it(`${short(id)} is a valid id, which nobody has`, async () => {
        answered(await canvas.pages.viewer.get(`/people?ids=${id}`), { people: [] });
      });
    }

    for (const query of NO_IDS) {
      it(`${short(query) || "no query"}: 400 INVALID_BODY`, async () => {
        refused(await canvas.pages.owner.get(`/people${query}`), 400, "INVALID_BODY");
      });
    }

    it("100 ids are allowed, of the greatest length too; 101 are 400 INVALID_BODY, however they are spread", async () => {
      const { viewer } = canvas.pages;
      const last = known.slice(-1);
      assert.deepEqual(await ask(viewer, [...some(99), ...last.map(({ id }) => id)]), last);
      const long = some(100).map((id) => id.padEnd(128, "-"));
      answered(await viewer.get(`/people?ids=${long.join()}`), { people: [] });
      for (const query of [
        some(101).join(),
        `${some(100).join()}&ids=a`,
        some(101).join("&ids="),
        `${"a,".repeat(100)}a`,
      ])
        refused(await viewer.get(`/people?ids=${query}`), 400, "INVALID_BODY");
    });

    const naughty = samples("strings")?.find(({ name }) => name === "blns.json");
    it("every string of the corpus: 400 INVALID_BODY unless it is a list of valid ids, and then nobody", {
      skip: !naughty && ABSENT,
    }, async () => {
      const texts = naughty ? (JSON.parse(naughty.bytes.toString("utf8")) as string[]) : [];
      await parallel(texts, async (text) => {
        const answer = await canvas.pages.viewer.get(
          `/people?ids=${encodeURIComponent(text.toWellFormed())}`,
        );
        if (text.split(",").every((id) => /^[A-Za-z0-9:-]{1,128}$/.test(id)))
          answered(answer, { people: [] });
        else refused(answer, 400, "INVALID_BODY");
      });
    });

    it("HEAD has no body; other methods are 405, and paths below are 404", async () => {
      const { owner } = canvas.pages;
      const path = `/people?ids=${known[0]?.id}`;
      const head = await owner.send("HEAD", path);
      assert.deepEqual([head.status, head.text], [200, ""]);
      for (const answer of [await owner.post(path, {}), await owner.put(path, {}), await owner.delete(path)])
        wrongMethod(answer, ["GET"]);
      refused(await owner.get("/people/"), 404, "NOT_FOUND");
      refused(await owner.get("/people/a"), 404, "NOT_FOUND");
    });

    it("anonymous callers are not served; visitors of a Public link get STATIC_ONLY", async () => {
      const open_ = await stage(target);
      unauthenticated(await open(target, open_.slug, null).get("/people?ids=a"), target);
      refused(await open_.pages.stranger.get("/people?ids=a"), 404, "OWNER_ONLY");
      await share(target, open_, "public_link", { editor: "editor" });
      for (const page of [open_.pages.viewer, open_.pages.stranger])
        refused(await page.get("/people?ids=a"), 403, "STATIC_ONLY");
      answered(await open_.pages.editor.get("/people?ids=a"), { people: [] });
    });
  });
}

/** Tests that requests to `/people` and other requests to the same canvas count against one common rate limit. */
export function rates(target: Target): void {
  describe("rates", () => {
    it("one bucket with the identity", async () => {
      const { viewer } = (await stage(target)).pages;
      await spend((turn) => viewer.get(turn % 2 === 0 ? "/people?ids=a" : "/me"), 200);
      refused(await viewer.get("/people?ids=a"), 429, "RATE_LIMITED");
      refused(await viewer.get("/people"), 429, "RATE_LIMITED");
    });
  });
}
