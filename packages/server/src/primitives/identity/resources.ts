import type { RuntimePolicy } from "@easel/protocol/policy";
import type { CanvasRole, Identity } from "@easel/protocol/types";
import { channelRights } from "../../access/channels.ts";
import { rightsOf } from "../../access/rights.ts";

/** The same table with other values. */
const mapped = <From, To>(
  table: Record<string, From> = {},
  change: (entry: From) => To,
): Record<string, To> =>
  Object.fromEntries(Object.entries(table).map(([name, entry]) => [name, change(entry)]));

/** What a role may do with everything that the policy names (management API, section 6). Connections come with their grants. */
export const resourcesOf = (policy: RuntimePolicy, role: CanvasRole): Identity["resources"] => ({
  collections: mapped(policy.collections, (entry) => rightsOf(entry, role)),
  fileGroups: mapped(policy.fileGroups, (entry) => rightsOf(entry, role)),
  channels: mapped(policy.channels, (entry) => channelRights(entry, role)),
  connections: {},
});
