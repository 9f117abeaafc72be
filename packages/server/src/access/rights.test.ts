import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  AUDIENCES,
  type Audience,
  type ChannelPolicy,
  CONNECTION_METHODS,
  type ConnectionMethod,
  OPERATIONS,
  type Operation,
  type PolicyAudience,
  type PolicyRight,
  PRESETS,
  type Preset,
  RIGHTS,
} from "@easel/protocol/policy";
import type { CanvasRole } from "@easel/protocol/types";
import type { AccessFields } from "./ladder.ts";
import {
  allows,
  allowsMethod,
  audienceIncludes,
  channelRights,
  connectionRights,
  type GrantCaller,
  inAudience,
  limitsFor,
  rightsOf,
  unnamedChannel,
} from "./rights.ts";

const ROLES: CanvasRole[] = ["owner", "editor", "viewer"];
const NAMES = ["subscribe", "publish", "seePresence", "participatePresence"] as const;

/** The roles that each audience includes: one letter each for owner, editor and viewer, `-` for a role that is not included. */
const CHANNEL_ROLES = { none: "---", editors: "oe-", viewers: "oev" };

test("every policy: each right depends on its own audience only", () => {
  let policies = 0;
  for (const subscribe of AUDIENCES)
    for (const publish of AUDIENCES)
      for (const seePresence of AUDIENCES)
        for (const participatePresence of AUDIENCES) {
          const policy: ChannelPolicy = { subscribe, publish, seePresence, participatePresence };
          policies++;
          for (const [index, role] of ROLES.entries()) {
            const expected = NAMES.map((name) => [name, CHANNEL_ROLES[policy[name]][index] !== "-"]);
            assert.deepEqual(channelRights(policy, role), Object.fromEntries(expected));
          }
        }
  assert.equal(policies, 81);
});

/**
 * Channels that the policy document does not name, and the roles that may publish on them: one letter each for owner, editor and viewer.
 */
const UNNAMED: [name: string, publish: string][] = [
  ["c", "oe-"],
  ["participants:", "oev"],
  ["participants:c", "oev"],
  ["participants:\0", "oev"],
  ["participants::", "oev"],
  ["participants", "oe-"],
  ["participants;c", "oe-"],
  ["Participants:c", "oe-"],
  ["PARTICIPANTS:c", "oe-"],
  [" participants:c", "oe-"],
  ["x-participants:c", "oe-"],
  ["participants\uff1ac", "oe-"],
  ["p\u0430rticipants:c", "oe-"],
  ["participants\u200b:c", "oe-"],
  ["__proto__", "oe-"],
];

for (const [name, publish] of UNNAMED) {
  test(`without a policy, ${JSON.stringify(name)}: ${publish} may publish, every role has the other rights`, () => {
    const rights = ROLES.map((role) => channelRights(unnamedChannel(name), role));
    assert.deepEqual(
      rights.map((each) => each.publish),
      [...publish].map((letter) => letter !== "-"),
    );
    for (const { subscribe, seePresence, participatePresence } of rights)
      assert.deepEqual([subscribe, seePresence, participatePresence], [true, true, true]);
  });
}

/** The roles that each audience includes: one letter each for owner, editor and viewer, `-` for a role that is not included. */
const CONNECTION_ROLES: Record<PolicyAudience, string> = { none: "---", editors: "oe-", viewers: "oev" };
const OF_CANVASES: Audience[] = ["editors", "viewers"];

/** Cases: the methods in the policy, the methods that the administrator allows, and those that a page may then use. */
const METHODS: [
  policy: ConnectionMethod[] | undefined,
  approved: ConnectionMethod[],
  left: ConnectionMethod[],
][] = [
  [undefined, ["GET", "POST"], ["GET", "POST"]],
  [undefined, [], []],
  [[], ["GET", "POST"], []],
  [["GET"], ["GET", "POST"], ["GET"]],
  [["GET"], ["HEAD"], []],
  [["HEAD"], ["GET"], []],
  [
    ["DELETE", "GET"],
    ["GET", "DELETE"],
    ["GET", "DELETE"],
  ],
  [["POST"], [], []],
  [[...CONNECTION_METHODS], ["PATCH"], ["PATCH"]],
];

for (const named of AUDIENCES)
  for (const fallback of OF_CANVASES)
    test(`entry for ${named} on a canvas for ${fallback}: the entry decides; without one, the canvas`, () => {
      for (const [index, role] of ROLES.entries()) {
        const byEntry = CONNECTION_ROLES[named][index] !== "-";
        const byCanvas = CONNECTION_ROLES[fallback][index] !== "-";
        assert.equal(inAudience({ audience: named }, fallback, role), byEntry, role);
        assert.equal(inAudience(undefined, fallback, role), byCanvas, role);
        for (const [methods, approved, left] of METHODS) {
          const entry = { audience: named, ...(methods && { methods }) };
          const rights = connectionRights(entry, fallback, role, approved);
          const expected = byEntry ? left : [];
          assert.deepEqual(rights, { invoke: expected.length > 0, methods: expected });
          const unnamed = connectionRights(undefined, fallback, role, approved);
          const all = byCanvas ? approved : [];
          assert.deepEqual(unnamed, { invoke: all.length > 0, methods: all });
        }
      }
    });

const CONNECTION_CALLERS: Record<string, Pick<GrantCaller, "user" | "role">> = {
  o: { user: { kind: "member" }, role: "owner" },
  e: { user: { kind: "member" }, role: "editor" },
  v: { user: { kind: "member" }, role: "viewer" },
  g: { user: { kind: "guest" }, role: "viewer" },
  a: { user: { kind: "visitor" }, role: "viewer" },
};

/** Cases: the access to the canvas, whether the grant is public and for guests, whom it admits without limits, and whom with limits. */
const GRANTS: [
  AccessFields["access"],
  [isPublic: boolean, guests: boolean],
  free: string,
  limited: string,
][] = [
  ["private", [false, false], "oev", ""],
  ["private", [false, true], "oev", "ga"],
  ["private", [true, false], "oev", ""],
  ["whole_org", [false, false], "oev", ""],
  ["whole_org", [true, true], "oev", "ga"],
  ["public_link", [false, false], "oe", ""],
  ["public_link", [false, true], "oe", ""],
  ["public_link", [true, false], "oe", "vga"],
  ["public_link", [true, true], "oe", "vga"],
];

for (const [access, [isPublic, guests], free, limited] of GRANTS)
  test(`a grant on a ${access} canvas, public ${isPublic}, guests ${guests}: ${free} free, ${limited || "nobody"} limited`, () => {
    const limits = { paths: ["/a"], requestsPerDay: 1 };
    for (const [name, caller] of Object.entries(CONNECTION_CALLERS)) {
      const expected = free.includes(name) ? {} : limited.includes(name) ? limits : null;
      const found = limitsFor({ public: isPublic, guests, limits }, { ...caller, canvas: { access } });
      assert.deepEqual(found, expected, name);
    }
  });

test("an entry without methods allows every method, and one with methods only these, case-sensitively", () => {
  for (const method of [...CONNECTION_METHODS, "OPTIONS", "get"]) {
    assert.equal(allowsMethod(undefined, method), true, method);
    assert.equal(allowsMethod({ audience: "viewers" }, method), true, method);
    assert.equal(allowsMethod({ audience: "viewers", methods: ["GET"] }, method), method === "GET", method);
    assert.equal(allowsMethod({ audience: "viewers", methods: [] }, method), false, method);
  }
});

/*
 * Tests the presets and rights of record policies (specification 2) for four callers: the owner of the canvas, an editor, the author of the
 * record (a viewer), and another viewer.
 */

const CALLERS = ["owner", "editor", "author", "other"] as const;
type Caller = (typeof CALLERS)[number];

const roleOf = (caller: Caller): CanvasRole =>
  caller === "owner" || caller === "editor" ? caller : "viewer";
const isAuthor = (caller: Caller) => caller === "author";

/** The callers who may perform each operation under a preset, as one letter each: o = owner, e = editor, a = author, x = another viewer. */
const TABLE: Record<Preset, Record<Exclude<Operation, "increment">, string>> = {
  personal: { read: "--a-", create: "oeax", update: "--a-", delete: "--a-" },
  submissions: { read: "oea-", create: "oeax", update: "oea-", delete: "oea-" },
  contributions: { read: "oeax", create: "oeax", update: "oea-", delete: "oea-" },
  managed: { read: "oeax", create: "oe--", update: "oe--", delete: "oe--" },
  collaborative: { read: "oeax", create: "oeax", update: "oeax", delete: "oeax" },
};

/** The callers whom each right includes, as one letter each: o = owner, e = editor, a = author, x = another viewer. */
const BY_RIGHT: Record<PolicyRight, string> = {
  none: "----",
  own: "--a-",
  editors: "oe--",
  own_and_editors: "oea-",
  viewers: "oeax",
};

const includes = (letters: string, caller: Caller) => letters[CALLERS.indexOf(caller)] !== "-";

/** Whether a policy allows a caller an operation on a record. The author of the record is the caller "author". */
const allowed = (policy: Parameters<typeof rightsOf>[0], operation: Operation, caller: Caller) =>
  allows(rightsOf(policy, roleOf(caller))[operation], isAuthor(caller));

for (const preset of Object.keys(PRESETS) as Preset[]) {
  describe(`preset ${preset}`, () => {
    for (const operation of OPERATIONS) {
      const letters = TABLE[preset][operation === "increment" ? "update" : operation];
      test(`${operation}: ${letters}`, () => {
        for (const caller of CALLERS)
          assert.equal(allowed({ preset }, operation, caller), includes(letters, caller), caller);
      });
    }

    for (const operation of OPERATIONS) {
      const rights = operation === "create" ? AUDIENCES : (Object.keys(RIGHTS) as PolicyRight[]);
      for (const right of rights) {
        test(`${operation} with the override ${right}`, () => {
          const policy = { preset, overrides: { [operation]: right } };
          const read = operation === "read" ? BY_RIGHT[right] : TABLE[preset].read;
          for (const each of OPERATIONS) {
            const own =
              each === operation ? BY_RIGHT[right] : TABLE[preset][each === "increment" ? "update" : each];
            const needsRead = each !== "read" && each !== "create";
            for (const caller of CALLERS) {
              const expected = includes(own, caller) && (!needsRead || includes(read, caller));
              assert.equal(allowed(policy, each, caller), expected, `${each} by ${caller}`);
            }
          }
        });
      }
    }
  });
}

test("owners and editors read only their own personal records", () => {
  for (const role of ["owner", "editor", "viewer"] as const) {
    assert.deepEqual(rightsOf({ preset: "personal" }, role).read, { own: true, any: false });
  }
});

test("a right on all records includes the caller's own records", () => {
  for (const preset of Object.keys(PRESETS) as Preset[]) {
    for (const role of ["owner", "editor", "viewer"] as const) {
      for (const { own, any } of Object.values(rightsOf({ preset }, role))) assert.ok(own || !any);
    }
  }
});

test("the audiences include no role, owners and editors, or every role", () => {
  const roles = ["owner", "editor", "viewer"] as const;
  assert.deepEqual(
    AUDIENCES.map((audience) => roles.map((role) => audienceIncludes(audience, role))),
    [
      [false, false, false],
      [true, true, false],
      [true, true, true],
    ],
  );
});
