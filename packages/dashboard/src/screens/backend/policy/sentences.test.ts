import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  AUDIENCES,
  OPERATIONS,
  type Operation,
  type PolicyRight,
  PRESETS,
  type Preset,
  type RecordPolicy,
  RIGHTS,
} from "@easel/protocol/policy";
import { allows, rightsOf } from "@easel/server/rights";
import {
  channelSentences,
  connectionSentence,
  furtherSentencesOf,
  inPhase,
  operationsOf,
  reachOf,
  sentenceOf,
  sentencesOf,
} from "./sentences.ts";

/** What each preset says about records. */
const SENTENCES: Record<Preset, string> = {
  personal:
    "Everyone reads only their own records, also the owner and editors. Everyone who may open this canvas adds records. People change and delete only their own.",
  submissions:
    "People read their own records; owner and editors read all. Everyone who may open this canvas adds records. People change and delete their own; owner and editors change and delete any.",
  contributions:
    "Everyone who may open this canvas reads all records and adds their own. People change and delete their own; owner and editors change and delete any.",
  managed:
    "Everyone who may open this canvas reads all records. Only the owner and editors add records. Only the owner and editors change and delete records.",
  collaborative:
    "Everyone who may open this canvas reads all records and adds their own. Everyone changes and deletes any.",
};

/** A person who meets a record, by what a sentence calls them. */
const PEOPLE = [
  { role: "viewer", isAuthor: true },
  { role: "viewer", isAuthor: false },
  { role: "editor", isAuthor: true },
  { role: "editor", isAuthor: false },
] as const;

/** Whether a sentence about one operation says that a person may do it. Reads the words, and knows no rights. */
function says(sentence: string, operation: Operation, { role, isAuthor }: (typeof PEOPLE)[number]): boolean {
  const isManager = role === "editor";
  if (/^Nobody /.test(sentence)) return false;
  if (/^Only the owner and editors .*, each their own\.$/.test(sentence)) return isManager && isAuthor;
  if (/^Only the owner and editors /.test(sentence)) return isManager;
  if (/only their own/.test(sentence)) return isAuthor;
  if (/^People .* their own.*; owner and editors .* (all|any)\.$/.test(sentence))
    return isAuthor || isManager;
  if (/^Everyone .*(all|any)/.test(sentence)) return true;
  if (operation === "create" && /^Everyone who may open this canvas /.test(sentence)) return true;
  return assert.fail(`no meaning: ${sentence}`);
}

/** All policies that differ in two rights, and all presets. */
function* policies(): Generator<RecordPolicy> {
  const rights = Object.keys(RIGHTS) as PolicyRight[];
  for (const preset of Object.keys(PRESETS) as Preset[]) {
    yield { preset };
    for (const read of rights)
      for (const create of AUDIENCES)
        for (const update of rights) {
          yield { preset, overrides: { read, create, update } };
          yield { preset, overrides: { read, delete: update, increment: update } };
        }
  }
}

describe("policies in sentences", () => {
  for (const preset of Object.keys(PRESETS) as Preset[])
    it(`the preset ${preset}`, () =>
      assert.equal(sentencesOf({ preset }, "records").join(" "), SENTENCES[preset]));

  it("each right of each policy is told as the rule of requests decides it", () => {
    let count = 0;
    for (const policy of policies())
      for (const operation of OPERATIONS) {
        const sentence = sentenceOf(policy, operation, "records");
        for (const person of PEOPLE) {
          const right = rightsOf(policy, person.role)[operation];
          const may = operation === "create" ? right.any : allows(right, person.isAuthor);
          assert.equal(
            says(sentence, operation, person),
            may,
            `${JSON.stringify(policy)} ${operation}: ${sentence}`,
          );
          count++;
        }
      }
    assert.ok(count > 10_000);
  });

  it("operations of the same people share a sentence; those of others have their own", () => {
    const policy: RecordPolicy = {
      preset: "contributions",
      overrides: { delete: "editors", increment: "viewers" },
    };
    assert.deepEqual(sentencesOf(policy, "records").slice(1), [
      "People change their own; owner and editors change any.",
      "Only the owner and editors delete records.",
      "Everyone counts up numbers in any.",
    ]);
    assert.deepEqual(
      sentencesOf({ preset: "managed", overrides: { update: "none", delete: "none" } }, "files").at(-1),
      "Nobody renames or deletes files.",
    );
    assert.equal(operationsOf("files").includes("increment"), false);
  });

  it("what nobody may read, nobody changes, and only editors have authors among them where only they read", () => {
    assert.equal(reachOf({ preset: "collaborative", overrides: { read: "none" } }).update, "none");
    const policy: RecordPolicy = { preset: "personal", overrides: { read: "editors" } };
    assert.equal(reachOf(policy).update, "own_of_editors");
    assert.equal(
      sentenceOf(policy, "update", "records"),
      "Only the owner and editors change records, each their own.",
    );
  });

  it("phases replace single rights", () => {
    const policy: RecordPolicy = {
      preset: "submissions",
      phases: { open: { read: "viewers", create: "none" } },
    };
    const hidden: RecordPolicy = { ...policy, overrides: { read: "none", create: "editors" } };
    assert.equal(reachOf(inPhase(hidden, "open")).read, "viewers");
    assert.deepEqual(sentencesOf(inPhase(policy, "open"), "records").slice(0, 2), [
      "Everyone who may open this canvas reads all records.",
      "Nobody adds records.",
    ]);
  });

  it("counts, unique fields, channels and Connections", () => {
    assert.deepEqual(
      furtherSentencesOf({
        preset: "managed",
        aggregateCount: "editors",
        unique: ["authorId", "value.\u202eCARD"],
      }),
      [
        "Owner and editors see how many records there are in all.",
        "No two records have the same author and “\u2068\u202eCARD\u2069”.",
      ],
    );
    const channel = {
      subscribe: "viewers",
      publish: "editors",
      seePresence: "viewers",
      participatePresence: "none",
    } as const;
    assert.deepEqual(channelSentences(channel), [
      "Everyone who may open this canvas receives messages and sees who is there.",
      "Only the owner and editors send messages.",
      "Nobody is seen by them.",
    ]);
    assert.equal(
      connectionSentence({ audience: "viewers", methods: ["GET", "POST"] }),
      "Everyone who may open this canvas sends requests, with GET and POST.",
    );
    assert.equal(
      connectionSentence({ audience: "editors" }),
      "Only the owner and editors send requests, with all methods that the administrator allows.",
    );
    assert.equal(
      connectionSentence({ audience: "viewers", methods: [] }),
      "Nobody sends requests through it.",
    );
  });
});
