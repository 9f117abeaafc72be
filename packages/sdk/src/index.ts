import { createAi } from "./ai.ts";
import { createCanvases } from "./canvases.ts";
import { createConnections } from "./connections.ts";
import type { UrlMode } from "./context.ts";
import type { UploadRequest } from "./files/progress.ts";
import { createFiles } from "./files.ts";
import { createKv } from "./kv.ts";
import { createMe } from "./me.ts";
import { createSocket } from "./realtime/socket.ts";
import { createWatch } from "./realtime/watch.ts";
import { createRealtime } from "./realtime.ts";
import { type Address, createApi, type Fetch } from "./request.ts";
import { createSendForm } from "./send-form.ts";
import { createSubmissions } from "./submissions.ts";

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
export type { Bundle } from "./canvases/bundle.ts";
export type { CanvasChanges, Canvases, CanvasFilter, CanvasSettings, NewCanvas } from "./canvases.ts";
export type {
  Collection,
  CollectionRecord,
  Comparison,
  RecordListOptions,
  RecordPage,
} from "./collections.ts";
export type { ConnectionInit, Connections } from "./connections.ts";
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
export type { Kv, KvListOptions, KvScope, KvValue } from "./kv.ts";
export type { Channel, Message } from "./realtime/channel.ts";
export type { FileChange, KvChange, RecordChange } from "./realtime/watch.ts";
export type { Realtime } from "./realtime.ts";
export type { SendOptions } from "./send-form.ts";
export type { Submission, SubmissionPage, Submissions } from "./submissions.ts";

/** The SDK: an object with a property for each part of the backend, such as `kv` and `files`. */
export type Easel = ReturnType<typeof createEasel>;

/**
 * Creates the SDK for the canvas that `location` belongs to. Never throws: if `location` does not belong to a canvas, the functions of the
 * SDK throw when they are called. Without `urlMode`, the slug is taken from a path `/c/{slug}` if there is one, otherwise from the host.
 * @example const easel = createEasel();
 */
export function createEasel(
  location = (globalThis as { location?: Address }).location,
  fetch: Fetch = (url, init) => globalThis.fetch(url, init),
  WebSocket = globalThis.WebSocket,
  urlMode?: UrlMode,
  XMLHttpRequest = (globalThis as { XMLHttpRequest?: new () => UploadRequest }).XMLHttpRequest,
) {
  const api = createApi(location, fetch, urlMode);
  const socket = createSocket(() => api.url("/realtime").replace(/^http/, "ws"), WebSocket);
  const watch = createWatch(socket);
  const sendForm = createSendForm(api, XMLHttpRequest);
  const me = createMe(api);
  return {
    /** Resolves with the viewer's identity and permissions. @example const { name, canvasRole } = await easel.me(); */
    me,
    /** Key-value data: shared by all viewers, and under `kv.user` private to each of them. */
    kv: createKv(api, watch),
    /** Files: shared, private, in groups, and attached to records. */
    files: createFiles(api, watch, sendForm),
    /** Submissions: one per person and collection. */
    submissions: createSubmissions(api),
    /** Chats with AI models. */
    ai: createAi(api),
    /** Sends requests to external APIs that an administrator has approved. */
    connections: createConnections(api, me),
    /** Channels: messages between open pages of the canvas, and presence. */
    realtime: createRealtime(socket),
    /** Publishes canvases from the page of this canvas, under the viewer's account. */
    canvases: createCanvases(api, sendForm),
  };
}
