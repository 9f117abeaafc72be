import type { Capability } from "@easel/protocol/capabilities";
import {
  type ChannelPolicy,
  CONNECTION_METHODS,
  type ConnectionMethod,
  type RecordPolicy,
  type RuntimePolicy,
} from "@easel/protocol/policy";
import { type Identity, PERMISSIONS } from "@easel/protocol/types";
import { z } from "zod";
import { channelRights, connectionRights, rightsOf } from "../../access/rights.ts";
import { permissionsOf, type Subject } from "../../access/roles.ts";
import type { Canvas } from "../../canvases/access-lookup.ts";
import { capabilitiesOn } from "../../canvases/capabilities.ts";
import { entryOf, policyOf } from "../../canvases/policy.ts";
import type { Env } from "../../env.ts";
import { priceOf } from "../../organisation/ai/prices.ts";
import { usableOn } from "../../organisation/connections/grants.ts";
import { readSettings } from "../../organisation/instance-settings.ts";
import { rights } from "../description.ts";

/** What a caller may do on a canvas: the permissions, and the rights on each resource. */
export type EffectiveRights = Pick<Identity, "permissions" | "resources">;

/** Returns the ids of the models that canvases may use: those that the administrators allow and that have a price. */
const usableModels = async (env: Env): Promise<string[]> =>
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
const resourcesOf = (
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

const channelRightsSchema = z
  .strictObject({
    subscribe: z.boolean(),
    publish: z.boolean(),
    seePresence: z.boolean(),
    participatePresence: z.boolean(),
  })
  .meta({ id: "ChannelRights" });

/** The schemas of the fields of `EffectiveRights`. */
export const effectiveRightsFields = {
  permissions: z.record(z.enum(PERMISSIONS), z.boolean()),
  resources: z.strictObject({
    collections: z.record(z.string(), rights),
    fileGroups: z.record(z.string(), rights),
    channels: z.record(z.string(), channelRightsSchema),
    connections: z.record(
      z.string(),
      z.strictObject({ invoke: z.boolean(), methods: z.array(z.enum(CONNECTION_METHODS)) }),
    ),
    models: z.array(z.string()),
  }),
};

/** Returns the rights that a caller has on a canvas now. */
export async function effectiveRights(
  caller: Pick<Subject, "user" | "role"> & { canvas: Canvas },
  env: Env,
): Promise<EffectiveRights> {
  const { canvas } = caller;
  const on = capabilitiesOn(canvas, env);
  const isOn = (capability: Capability) => on.has(capability);
  const resources = resourcesOf(
    await policyOf(canvas, env),
    caller,
    await usableOn(canvas.id, caller, env),
    isOn,
  );
  const mayConnect = Object.values(resources.connections).some(({ invoke }) => invoke);
  const permissions = permissionsOf({ ...caller, mayConnect }, isOn);
  const models = permissions.canUseAi ? await usableModels(env) : [];
  return { permissions, resources: { ...resources, models } };
}

/** The rights of somebody to whom the runtime API is closed. */
export const NO_RIGHTS: EffectiveRights = {
  permissions: Object.fromEntries(PERMISSIONS.map((name) => [name, false])) as Identity["permissions"],
  resources: { collections: {}, fileGroups: {}, channels: {}, connections: {}, models: [] },
};
