import type { Capability } from "@easel/protocol/capabilities";
import type { ChannelPolicy, RecordPolicy, RuntimePolicy } from "@easel/protocol/policy";
import type { CanvasRole, Identity } from "@easel/protocol/types";
import { channelRights } from "../../access/channel-rights.ts";
import { rightsOf } from "../../access/rights.ts";

/** The record policy that applies while a capability is off: nobody may do anything. */
const CLOSED_RECORDS: RecordPolicy = {
  preset: "personal",
  overrides: { read: "none", create: "none", update: "none", delete: "none", increment: "none" },
};
const CLOSED_CHANNEL: ChannelPolicy = {
  subscribe: "none",
  publish: "none",
  seePresence: "none",
  participatePresence: "none",
};

/** Returns an object with the same keys as `table`. Each value is the result of `change` for the value in `table`. */
const mapValues = <From, To>(
  table: Record<string, From> = {},
  change: (entry: From) => To,
): Record<string, To> =>
  Object.fromEntries(Object.entries(table).map(([name, entry]) => [name, change(entry)]));

/**
 * Returns the rights of a role on every collection, file group and channel that the policy names (management API, section 6). While the
 * capability of a resource is off, the role has no rights on the resource.
 */
export const resourcesOf = (
  policy: RuntimePolicy,
  role: CanvasRole,
  isOn: (capability: Capability) => boolean,
): Identity["resources"] => ({
  collections: mapValues(policy.collections, (entry) => rightsOf(isOn("kv") ? entry : CLOSED_RECORDS, role)),
  fileGroups: mapValues(policy.fileGroups, (entry) => rightsOf(isOn("files") ? entry : CLOSED_RECORDS, role)),
  channels: mapValues(policy.channels, (entry) =>
    channelRights(isOn("realtime") ? entry : CLOSED_CHANNEL, role),
  ),
  connections: {},
});
