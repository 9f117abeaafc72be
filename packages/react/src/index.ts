export type { LiveRecord, RecordQuery } from "@easel/sdk/live";
export { EaselProvider } from "./easel-provider.ts";
export type { EaselParts } from "./stores.ts";
export { type ChannelResult, useChannel } from "./use-channel.ts";
export { type CollectionResult, useCollection } from "./use-collection.ts";
export { type KvOptions, type KvResult, useKv } from "./use-kv.ts";
export { type MeResult, useMe } from "./use-me.ts";
export { type PhaseResult, usePhase } from "./use-phase.ts";
export { type PresenceResult, usePresence } from "./use-presence.ts";
