import type { Capability } from "@easel/protocol/capabilities";
import type { ChannelPolicy, RecordPolicy, RuntimePolicy } from "@easel/protocol/policy";
import type { CanvasRole, Identity } from "@easel/protocol/types";
import { channelRights } from "../../access/channels.ts";
import { rightsOf } from "../../access/rights.ts";

/** The policies of what is switched off. */
const SHUT_RECORDS: RecordPolicy = {
  preset: "personal",
  overrides: { read: "none", create: "none", update: "none", delete: "none", increment: "none" },
};
const SHUT_CHANNEL: ChannelPolicy = {
  subscribe: "none",
  publish: "none",
  seePresence: "none",
  participatePresence: "none",
};

/** The same table with other values. */
const mapped = <From, To>(
  table: Record<string, From> = {},
  change: (entry: From) => To,
): Record<string, To> =>
  Object.fromEntries(Object.entries(table).map(([name, entry]) => [name, change(entry)]));

/**
 * The effective rights of a role on everything that the policy names (management API, section 6): none where the capability is
 * off. Connections come with their grants.
 */
export const resourcesOf = (
  policy: RuntimePolicy,
  role: CanvasRole,
  isOn: (capability: Capability) => boolean,
): Identity["resources"] => ({
  collections: mapped(policy.collections, (entry) => rightsOf(isOn("kv") ? entry : SHUT_RECORDS, role)),
  fileGroups: mapped(policy.fileGroups, (entry) => rightsOf(isOn("files") ? entry : SHUT_RECORDS, role)),
  channels: mapped(policy.channels, (entry) => channelRights(isOn("realtime") ? entry : SHUT_CHANNEL, role)),
  connections: {},
});
