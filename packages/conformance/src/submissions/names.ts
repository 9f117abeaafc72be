import { before, describe, it } from "node:test";
import { type Stage, stage } from "../fixture.ts";
import { answered, refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { answerOf } from "./answer.ts";

/** Valid names of collections: 1 to 80 ASCII letters, digits, dots, underscores or hyphens, of which the first is a letter or digit. */
const NAMES = [
  "a",
  "Z",
  "0",
  "007",
  "a.b_c-D9",
  "a..b",
  "a.",
  "a-",
  "a_",
  "mine",
  "user",
  "count",
  "constructor",
  "toString",
  "valueOf",
  "hasOwnProperty",
  "null",
  "n".repeat(80),
];
const NO_NAMES = [
  "-a",
  ".a",
  "_a",
  ".",
  "%2e%2e",
  "__proto__",
  "%20",
  "a%20b",
  "a+b",
  "a:b",
  "a%2Fb",
  "a%5Cb",
  "%C3%A4",
  "a%CC%88",
  "a%00",
  "a%0A",
  "a%25",
  "a,b",
  "a;b",
  "a@b",
  "%F0%9F%98%80",
  "n".repeat(81),
  "n".repeat(500),
];

/** Valid ids of authors: up to 128 ASCII letters, digits, colons or hyphens. */
const IDS = ["a", "Z", "0", "-", ":", "guest:a-1", "guest%3Aa-1", "constructor", "i".repeat(128)];
const NO_IDS = [
  "%20",
  "a%20b",
  "a.b",
  "a_b",
  "__proto__",
  "%2e",
  "%2e%2e",
  "a%2Fb",
  "%C3%A4",
  "a%00",
  "a%0A",
  "a@example.com",
  "i".repeat(129),
  "i".repeat(500),
];

/** Tests valid and invalid names of collections and ids of authors in the paths of submissions. */
export function names(target: Target): void {
  describe("names", () => {
    let canvas: Stage;
    before(async () => {
      canvas = await stage(target);
    });

    for (const name of NAMES) {
      it(`${short(name)} names a collection`, async () => {
        const { owner } = canvas.pages;
        const stored = answerOf(await owner.put(`/submissions/${name}/mine`, name));
        answered(await owner.get(`/submissions/${name}/mine`), stored);
        answered(await owner.get(`/submissions/${name}`), { entries: [stored], nextCursor: null });
        answered(await owner.delete(`/submissions/${name}/mine`), { ok: true });
        answered(await owner.delete(`/submissions/${name}`), { ok: true });
      });
    }

    for (const name of NO_NAMES) {
      it(`${short(name)} does not name one: 400 INVALID_BODY on every route`, async () => {
        const { owner } = canvas.pages;
        const answers = [
          await owner.put(`/submissions/${name}/mine`, 1),
          await owner.get(`/submissions/${name}/mine`),
          await owner.delete(`/submissions/${name}/mine`),
          await owner.get(`/submissions/${name}`),
          await owner.delete(`/submissions/${name}`),
          await owner.delete(`/submissions/${name}/u-1`),
        ];
        for (const answer of answers) refused(answer, 400, "INVALID_BODY");
      });
    }

    it("names are decoded once, and letters keep their case", async () => {
      const { owner } = canvas.pages;
      const stored = answerOf(await owner.put("/submissions/%61b/mine", 1));
      answered(await owner.get("/submissions/ab/mine"), stored);
      refused(await owner.get("/submissions/AB/mine"), 404, "NOT_FOUND");
      refused(await owner.get("/submissions/%2561b/mine"), 400, "INVALID_BODY");
    });

    for (const id of IDS) {
      it(`${short(id)} is a valid id`, async () => {
        answered(await canvas.pages.owner.delete(`/submissions/poll/${id}`), { ok: true });
      });
    }

    for (const id of NO_IDS) {
      it(`${short(id)} is no valid id: 400 INVALID_BODY`, async () => {
        refused(await canvas.pages.owner.delete(`/submissions/poll/${id}`), 400, "INVALID_BODY");
      });
    }
  });
}

const short = (text: string) => (text.length > 40 ? `${text.slice(0, 10)}… (${text.length})` : text);
