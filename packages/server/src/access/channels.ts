import type { ChannelPolicy } from "@easel/protocol/policy";
import { OPEN_CHANNEL, PARTICIPANTS } from "@easel/protocol/realtime";
import type { CanvasRole, ChannelRights } from "@easel/protocol/types";
import { isAmong } from "./rights.ts";

/** What a role may do on a channel with this policy. */
export const channelRights = (policy: ChannelPolicy, role: CanvasRole): ChannelRights => ({
  subscribe: isAmong(policy.subscribe, role),
  publish: isAmong(policy.publish, role),
  seePresence: isAmong(policy.seePresence, role),
  participatePresence: isAmong(policy.participatePresence, role),
});

/** What holds for a channel that no policy names (specification 5). */
export const unnamedChannel = (name: string): ChannelPolicy =>
  name.startsWith(PARTICIPANTS) ? { ...OPEN_CHANNEL, publish: "viewers" } : OPEN_CHANNEL;
