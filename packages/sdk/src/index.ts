export type { ChatMessage, TokenUsage } from "@easel/protocol/ai";
export type { Capability, DisabledReason } from "@easel/protocol/capabilities";
export type { Member, Sender } from "@easel/protocol/realtime";
export type {
  Access,
  AuthoredCanvas,
  CanvasRole,
  ConnectionRights,
  Identity,
  Json,
  KvEntry,
  KvPage,
  Rights,
} from "@easel/protocol/types";
export type { ChatSpend } from "./ai/deltas.ts";
export type { Ai, ChatOptions, ChatResponse, ChatStream } from "./ai.ts";
export type { Declared, NameOf } from "./canvas-types.ts";
export type { Bundle } from "./canvases/bundle.ts";
export type { CanvasChanges, Canvases, CanvasFilter, CanvasSettings, NewCanvas } from "./canvases.ts";
export type { CreateManyOptions } from "./collections/create-many.ts";
export type {
  Collection,
  CollectionRecord,
  Comparison,
  Phase,
  RecordListOptions,
  RecordPage,
  RecordWriteOptions,
} from "./collections.ts";
export type { ConnectionInit, Connections } from "./connections.ts";
export type { UrlMode } from "./context.ts";
export { createEasel, type Easel } from "./easel.ts";
export {
  CapabilityDisabledError,
  EaselError,
  type EaselErrorCode,
  NotAuthenticatedError,
  NotFoundError,
  PublishFailedError,
  QuotaExceededError,
  UpdatePartialError,
} from "./errors.ts";
export type { FileContent } from "./files/content.ts";
export type { UploadProgress } from "./files/progress.ts";
export type { UploadedFile, UploadOptions } from "./files/upload.ts";
export type { FileListOptions, FilePage, FileRecord, Files } from "./files.ts";
export {
  isCapabilityDisabled,
  isEaselError,
  isNotAuthenticated,
  isNotFound,
  isPublishFailed,
  isQuotaExceeded,
  isUpdatePartial,
} from "./guards.ts";
export type { Kv, KvListOptions, KvScope } from "./kv.ts";
export type { RecordQuery } from "./live/record-reader.ts";
export type { EaselOptions, Fetch } from "./options.ts";
export { ai, canvases, connections, files, kv, me, people, realtime, submissions } from "./page.ts";
export type { KnownPerson, PersonIds } from "./people.ts";
export type { Channel, Message } from "./realtime/channel.ts";
export type { Gather } from "./realtime/gather.ts";
export type { FileChange, KvChange, RecordChange } from "./realtime/watch.ts";
export type { Realtime } from "./realtime.ts";
export type { SendOptions } from "./send-form.ts";
export type { Submission, SubmissionPage, Submissions } from "./submissions.ts";
export type { Serializable } from "./value.ts";

/**
 * The names and types of a canvas's resources, which a page declares by declaration merging. `collections` maps each name to the type of its
 * records' values; `fileGroups`, `channels` and `connections` map each name to `unknown`. An editor then completes the names. The interface
 * is in this file, because declaration merging extends only what a module itself declares.
 */
// biome-ignore lint/suspicious/noEmptyInterface: pages add the members
export interface CanvasTypes {}
