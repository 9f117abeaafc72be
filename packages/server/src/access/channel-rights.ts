import type { ChannelPolicy } from "@easel/protocol/policy";
import { DEFAULT_CHANNEL_POLICY, PARTICIPANT_PREFIX } from "@easel/protocol/realtime";
import type { CanvasRole, ChannelRights } from "@easel/protocol/types";
import { audienceIncludes } from "./rights.ts";

/** Returns the rights of a role on a channel with this policy. */
export const channelRights = (policy: ChannelPolicy, role: CanvasRole): ChannelRights => ({
  subscribe: audienceIncludes(policy.subscribe, role),
  publish: audienceIncludes(policy.publish, role),
  seePresence: audienceIncludes(policy.seePresence, role),
  participatePresence: audienceIncludes(policy.participatePresence, role),
});

/** Returns the policy of a channel that the policy document does not name (specification 5). */
export const unnamedChannel = (name: string): ChannelPolicy =>
  name.startsWith(PARTICIPANT_PREFIX)
    ? { ...DEFAULT_CHANNEL_POLICY, publish: "viewers" }
    : DEFAULT_CHANNEL_POLICY;
