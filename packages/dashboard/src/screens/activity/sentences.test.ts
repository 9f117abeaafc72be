import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ACTIVITY_ACTS } from "@easel/protocol/management";
import type { Activity } from "../../api/types.ts";
import { GROUPS } from "./search.ts";
import { actsOf, sentenceOf, TOLD } from "./sentences.ts";

const known = { me: "u-me", versionName: (id: string) => (id === "v-1" ? "Fix the date" : null) };

const entry = (act: Activity["act"], details: unknown = null, target: string | null = null): Activity => ({
  id: "e-1",
  at: 0,
  actor: { id: "u-bo", name: "Bo" },
  act,
  via: null,
  target,
  details: details as Activity["details"],
});

const told = (...given: Parameters<typeof entry>) =>
  sentenceOf(entry(...given), known).replace(/[\u2068\u2069]/g, "");

describe("sentences of the activity", () => {
  it("every act that the activity can have has one, and is in a group", () => {
    assert.deepEqual(Object.keys(TOLD).toSorted(), [...ACTIVITY_ACTS].sort());
    assert.deepEqual(GROUPS.flatMap(actsOf).toSorted(), [...ACTIVITY_ACTS].sort());
    for (const act of ACTIVITY_ACTS) assert.match(told(act), /^Bo [a-z].{3,}\.$/, act);
  });

  it("says what was done", () => {
    const cases: [Parameters<typeof entry>, string][] = [
      [["canvas.deploy", null, "v-1"], "Bo published a new version: “Fix the date”."],
      [["canvas.deploy", null, "v-gone"], "Bo published a new version."],
      [
        ["canvas.stage-finish", { publish: false }, "v-1"],
        "Bo stored a new version without publishing it: “Fix the date”.",
      ],
      [["canvas.stage-finish", { unchanged: true }, "v-gone"], "Bo deployed what was live already."],
      [["canvas.publish", null, "v-1"], "Bo went to another version: “Fix the date”."],
      [["canvas.update", { title: "Poll", archived: true }], "Bo renamed it to “Poll” and archived it."],
      [["canvas.update", { tags: [] }], "Bo removed its tags."],
      [
        ["canvas.update", { tags: ["a", "b"], metadata: true }],
        "Bo set its tags to “a” and “b” and changed its metadata.",
      ],
      [
        [
          "canvas.share",
          {
            access: "whole_org",
            people: { editor: 1, viewer: 2 },
            teams: { editor: 0, viewer: 1 },
            password: true,
            expiresAt: null,
          },
        ],
        "Bo changed the sharing: general access Organisation, 1 editor and 2 viewers by name, 1 team that may view, a password and without an end.",
      ],
      [["canvas.share", { people: { editor: 0, viewer: 0 } }], "Bo changed the sharing: nobody by name."],
      [["data.write", { keys: 1, records: 12 }], "Bo made 1 change to keys and 12 changes to records."],
      [["data.write"], "Bo changed data."],
      [["canvas.invite", null, "Grace"], "Bo invited the guest “Grace”."],
      [["canvas.renew-invite", null, "Grace"], "Bo made another link for the guest “Grace”."],
      [["canvas.uninvite"], "Bo took back the invitation of a guest."],
      [["canvas.transfer", null, "Cy"], "Bo handed it over to “Cy”."],
      [
        [
          "canvas.capabilities",
          { ai: true, kv: true, files: false, aiAudience: "editors", runtimePolicy: "r-1" },
        ],
        "Bo switched on keys and records and AI, switched off files, kept AI to the owner and editors and changed the policy.",
      ],
      [["canvas.phase", { phase: "closed" }, "votes"], "Bo began the phase “closed” of “votes”."],
      [["canvas.phase", { phase: null }, "votes"], "Bo ended the phase of “votes”."],
      [["canvas.export", { what: ["kv", "collections"] }], "Bo exported the keys and records."],
      [
        ["canvas.import", { existing: "replace", imported: { kv: 1, files: 0, collections: 1200 } }],
        "Bo imported 1 key and 1,200 records, in place of what was there.",
      ],
      [["canvas.import", { imported: { kv: 0 } }], "Bo imported data, of which nothing was new."],
      [
        ["connection.grant", { guests: true, public: true }, "maps"],
        "Bo allowed the Connection “maps”, also for guests and visitors of a Public link.",
      ],
      [
        ["authoring.update", { access: "private", title: "Poll" }],
        "Bo renamed it to “Poll” and changed the sharing: general access Private, with a page.",
      ],
    ];
    for (const [given, expected] of cases) assert.equal(told(...given), expected);
  });

  it("says who did it", () => {
    const by = (actor: Activity["actor"]) => sentenceOf({ ...entry("canvas.disable"), actor }, known);
    assert.equal(by(null), "An administrator disabled it.");
    assert.equal(by({ id: "u-me", name: "Ada" }), "You disabled it.");
    assert.equal(by({ id: "u-gone", name: null }), "Somebody disabled it.");
    assert.equal(by({ id: "u-x", name: "مخ" }), "\u2068مخ\u2069 disabled it.");
  });

  it("says through which program it was done", () => {
    const through = (via: Activity["via"]) =>
      sentenceOf({ ...entry("canvas.deploy"), via }, known).replace(/[\u2068\u2069]/g, "");
    assert.equal(
      through({ client: "Claude Code", tool: "deploy_canvas" }),
      "Bo, through Claude Code (deploy_canvas), published a new version.",
    );
    assert.equal(
      through({ client: null, tool: "deploy_canvas" }),
      "Bo, through a program (deploy_canvas), published a new version.",
    );
    const hostile = sentenceOf({ ...entry("canvas.deploy"), via: { client: "مخ), Ada", tool: "x" } }, known);
    assert.match(hostile, /, through \u2068مخ\), Ada\u2069 \(/);
  });

  it("no details break a sentence, whatever they are", () => {
    const strange = [
      [],
      "text",
      7,
      true,
      { title: {}, tags: "x", access: "toString", what: 3, imported: "x" },
    ];
    const wrong = Object.fromEntries(
      "title slug tags metadata people teams expiresAt access what existing imported phase reason"
        .split(" ")
        .map((name) => [name, { toString: 1 }]),
    );
    for (const act of ACTIVITY_ACTS)
      for (const details of [...strange, wrong])
        assert.doesNotMatch(told(act, details, "toString"), /undefined|null|object|NaN/, act);
  });
});
