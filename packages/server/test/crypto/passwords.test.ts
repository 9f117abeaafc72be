import assert from "node:assert/strict";
import { createHook } from "node:async_hooks";
import { describe, it } from "node:test";
import { Passwords } from "../../src/crypto/passwords.ts";

/** Counts the hashes that are computed during `work`, and the most that are computed at the same time. */
async function mostAtOnce(work: () => Promise<unknown>): Promise<{ jobs: number; most: number }> {
  const running = new Set<number>();
  let jobs = 0;
  let most = 0;
  const hook = createHook({
    init(id, type) {
      if (type !== "ARGON2REQUEST") return;
      jobs++;
      most = Math.max(most, running.add(id).size);
    },
    before: (id) => void running.delete(id),
  }).enable();
  await work();
  hook.disable();
  assert.equal(running.size, 0);
  return { jobs, most };
}

describe("password hashes", () => {
  const passwords = new Passwords(2);

  it("are PHC strings of Argon2id with random salts", async () => {
    const [one, two] = await Promise.all([passwords.hash("tea", "ada"), passwords.hash("tea", "ada")]);
    for (const hash of [one, two]) {
      assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
      assert.equal(await passwords.verify("tea", hash, "ada"), true);
    }
    assert.notEqual(one, two);
  });

  const ROWS: [name: string, kept: string, given: string, same: boolean][] = [
    ["another letter", "tea", "teb", false],
    ["another case", "tea", "Tea", false],
    ["nothing", "tea", "", false],
    ["a space after it", "tea", "tea ", false],
    ["a NUL after it", "tea", "tea\0", false],
    ["composed, given in parts", "caf\u00e9", "cafe\u0301", true],
    ["in parts, given composed", "cafe\u0301", "caf\u00e9", true],
    ["composed letters of Hangul", "\ud55c", "\u1112\u1161\u11ab", true],
    ["marks in another order", "a\u0323\u0307", "a\u0307\u0323", true],
    ["without its accent", "caf\u00e9", "cafe", false],
    ["letters that only look alike", "tea", "te\u0430", false],
    ["letters that mean alike", "\u{1d54b}ea", "Tea", false],
    ["a line break of another system", "a\nb", "a\r\nb", false],
    ["200 characters but the last", "p".repeat(200), `${"p".repeat(199)}q`, false],
    ["half a character, which no form can send", "\ud83d", "\ufffd", true],
  ];
  for (const [name, kept, given, same] of ROWS) {
    it(`${name}: ${same ? "the same" : "another"} password`, async () => {
      assert.equal(await passwords.verify(given, await passwords.hash(kept, "ada"), "ada"), same);
    });
  }

  const CALLERS: [name: string, people: string[], most: number][] = [
    ["of several people two at a time", ["ada", "bob", "eve"], 2],
    ["of one person one at a time", ["ada"], 1],
  ];
  for (const [name, people, expected] of CALLERS) {
    it(`are computed ${name}`, async () => {
      const hash = await passwords.hash("tea", "ada");
      const { jobs, most } = await mostAtOnce(() =>
        Promise.all(
          Array.from({ length: 9 }, (_, each) =>
            passwords.verify("tea", hash, people[each % people.length] ?? ""),
          ),
        ),
      );
      assert.deepEqual({ jobs, most }, { jobs: 9, most: expected });
    });
  }

  it("of one person do not delay another's", async () => {
    const started: string[] = [];
    const fake = new Passwords(1, undefined, async ({ message }) => {
      started.push(message);
      return new Uint8Array(32);
    });
    await Promise.all(["eve", "eve", "eve", "ada"].map((person) => fake.hash(person, person)));
    assert.deepEqual(started, ["eve", "ada", "eve", "eve"]);
  });

  it("of one person wait up to 100", async () => {
    const fake = new Passwords(1, undefined, async () => new Uint8Array(32));
    const hashes = Array.from({ length: 102 }, () => fake.hash("tea", "eve"));
    await assert.rejects(hashes.at(-1) as Promise<string>, { status: 503 });
    await Promise.all([...hashes.slice(0, -1), fake.hash("tea", "ada")]);
  });

  it("are computed one at a time with a concurrency of 1, also after a failure", async () => {
    const single = new Passwords(1);
    const { most } = await mostAtOnce(async () => {
      const given = ["a", "b", "c", "d"].map((each) => single.hash(each, "ada"));
      const broken = single.verify("a", "$argon2id$v=19$m=1,t=1,p=1$c2FsdA$aGFzaA", "ada");
      const rest = ["e", "f"].map((each) => single.hash(each, each));
      await assert.rejects(broken);
      assert.equal((await Promise.all([...given, ...rest])).length, 6);
    });
    assert.equal(most, 1);
  });
});
