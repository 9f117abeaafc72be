import type { Identity } from "@easel/protocol/types";
import { type Ai, createAi } from "./ai.ts";
import { type Canvases, createCanvases } from "./canvases.ts";
import { type Connections, createConnections } from "./connections.ts";
import { createFiles, type Files } from "./files.ts";
import { createKv, type Kv } from "./kv.ts";
import { createMe } from "./me.ts";
import type { EaselOptions } from "./options.ts";
import { createPeople, type KnownPerson, type PersonIds } from "./people.ts";
import { createConnection } from "./realtime/connect.ts";
import { createWatch } from "./realtime/watch.ts";
import { createRealtime, type Realtime } from "./realtime.ts";
import { createApi } from "./request.ts";
import { createSendForm } from "./send-form.ts";
import { createSubmissions, type Submissions } from "./submissions.ts";

/**
 * The SDK: an object with a property for each part of the backend. Every function that sends a request can reject with these errors, and the
 * comment of each function names the others: NotAuthenticatedError; CapabilityDisabledError; NotFoundError if the canvas is gone or hidden
 * from the viewer (`reason`: `NOT_FOUND`, `OWNER_ONLY`, `ARCHIVED`, `SHARE_EXPIRED`); EaselError with `PASSWORD_REQUIRED`, `STATIC_ONLY`,
 * `DISABLED`, `RATE_LIMITED` (`retryAfter` has the seconds), or with `REQUEST_FAILED` and status 0 if the service cannot be reached
 * (specification 7).
 */
export interface Easel {
  /** Resolves with the viewer's identity and permissions. @example const { name, canvasRole } = await easel.me(); */
  me(): Promise<Identity>;
  /**
   * Resolves with the name and picture of people, by id: only of those who have left a record, a submission or a file on the canvas that the
   * viewer may read. Other ids are absent. Calls that are made at once share a request, and people who are found are kept for five minutes.
   * @throws EaselError with `INVALID_BODY` for texts that are not ids.
   * @example const name = (await easel.people([userId])).get(userId)?.name ?? "Somebody";
   */
  people(ids: PersonIds): Promise<Map<string, KnownPerson>>;
  /** Key-value data: shared by all viewers, and under `kv.user` private to each of them. */
  readonly kv: Kv;
  /** Files: shared, private, in groups, and attached to records. */
  readonly files: Files;
  /** Submissions: one per person and collection. */
  readonly submissions: Submissions;
  /** Chats with AI models. */
  readonly ai: Ai;
  /** Sends requests to external APIs that an administrator has approved. */
  readonly connections: Connections;
  /** Channels: messages between open pages of the canvas, and presence. */
  readonly realtime: Realtime;
  /** Publishes canvases from the page of this canvas, under the viewer's account. */
  readonly canvases: Canvases;
}

/**
 * Creates the SDK for one canvas: by default the one that the page belongs to. Never throws: if there is no such canvas, the functions of
 * the SDK throw when they are called.
 * @example const tea = createEasel({ url: "https://easel.example/c/tea/", token });
 */
export function createEasel(options: EaselOptions = {}): Easel {
  const api = createApi(options);
  const socket = createConnection(api, options);
  const watch = createWatch(socket);
  const sendForm = createSendForm(api, options);
  const me = createMe(api);
  return {
    me,
    people: createPeople(api),
    kv: createKv(api, watch),
    files: createFiles(api, watch, sendForm),
    submissions: createSubmissions(api),
    ai: createAi(api),
    connections: createConnections(api, me),
    realtime: createRealtime(socket),
    canvases: createCanvases(api, sendForm),
  };
}
