import type { Capability } from "@easel/protocol/capabilities";
import type { ChannelPolicy, ConnectionMethod, RecordPolicy, RuntimePolicy } from "@easel/protocol/policy";
import type { Identity } from "@easel/protocol/types";
import { channelRights, connectionRights, rightsOf } from "../../access/rights.ts";
import type { Subject } from "../../access/roles.ts";
import { entryOf } from "../../canvases/policy.ts";
import type { Env } from "../../env.ts";
import { priceOf } from "../../organisation/ai/prices.ts";
import { readSettings } from "../../organisation/instance-settings.ts";

/** Returns the ids of the models that canvases may use: those that the administrators allow and that have a price. */
export const usableModels = async (env: Env): Promise<string[]> =>
  (await readSettings(env))["ai.models"].filter((model) => priceOf(model, 0, env.config) !== null);

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
  change: (entry: From, name: string) => To,
): Record<string, To> =>
  Object.fromEntries(Object.entries(table).map(([name, entry]) => [name, change(entry, name)]));

/**
 * Returns the rights of a caller on every collection, file group and channel that the policy names, and on every Connection that is granted
 * (docs/sharing.md#roles). While the capability of a resource is off, the caller has no rights on the resource.
 * `connections` maps the name of each granted Connection to the methods that it allows now.
 */
export const resourcesOf = (
  policy: RuntimePolicy,
  { role, canvas: { capabilities } }: Pick<Subject, "role" | "canvas">,
  connections: Record<string, ConnectionMethod[]>,
  isOn: (capability: Capability) => boolean,
): Omit<Identity["resources"], "models"> => ({
  collections: mapValues(policy.collections, (entry) => rightsOf(isOn("kv") ? entry : CLOSED_RECORDS, role)),
  fileGroups: mapValues(policy.fileGroups, (entry) => rightsOf(isOn("files") ? entry : CLOSED_RECORDS, role)),
  channels: mapValues(policy.channels, (entry) =>
    channelRights(isOn("realtime") ? entry : CLOSED_CHANNEL, role),
  ),
  connections: mapValues(connections, (methods, name) =>
    connectionRights(entryOf(policy.connections, name), capabilities.connectionsAudience, role, methods),
  ),
});
