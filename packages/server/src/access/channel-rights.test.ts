import assert from "node:assert/strict";
import { test } from "node:test";
import { AUDIENCES, type ChannelPolicy } from "@easel/protocol/policy";
import type { CanvasRole } from "@easel/protocol/types";
import { channelRights, unnamedChannel } from "./channel-rights.ts";

const ROLES: CanvasRole[] = ["owner", "editor", "viewer"];
const NAMES = ["subscribe", "publish", "seePresence", "participatePresence"] as const;

/** The roles that each audience includes: one letter each for owner, editor and viewer, `-` for a role that is not included. */
const IN = { none: "---", editors: "oe-", viewers: "oev" };

test("every policy: each right depends on its own audience only", () => {
  let policies = 0;
  for (const subscribe of AUDIENCES)
    for (const publish of AUDIENCES)
      for (const seePresence of AUDIENCES)
        for (const participatePresence of AUDIENCES) {
          const policy: ChannelPolicy = { subscribe, publish, seePresence, participatePresence };
          policies++;
          for (const [index, role] of ROLES.entries()) {
            const expected = NAMES.map((name) => [name, IN[policy[name]][index] !== "-"]);
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
