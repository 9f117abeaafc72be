import { createAi } from "./ai.ts";
import { createCanvases } from "./canvases.ts";
import { createConnections } from "./connections.ts";
import type { Easel } from "./easel.ts";
import { createFiles } from "./files.ts";
import { createKv } from "./kv.ts";
import { createMe } from "./me.ts";
import { createPeople } from "./people.ts";
import { createConnection } from "./realtime/connect.ts";
import { createWatch } from "./realtime/watch.ts";
import { createRealtime } from "./realtime.ts";
import { createApi } from "./request.ts";
import { createSendForm } from "./send-form.ts";
import { createSubmissions } from "./submissions.ts";

// The parts of the SDK for the canvas of the page. A bundler leaves out those that a page does not import, because all calls are marked as
// free of side effects. The address of the page is read at the first call of a function.

const api = /* @__PURE__ */ createApi();
const socket = /* @__PURE__ */ createConnection(api);
const watch = /* @__PURE__ */ createWatch(socket);
const sendForm = /* @__PURE__ */ createSendForm(api);

/** Resolves with the identity and permissions of the viewer (specification 4.2). @example const { name } = await easel.me(); */
export const me: Easel["me"] = /* @__PURE__ */ createMe(api);
/** Resolves with the names and pictures of people by id. @example const authors = await easel.people([userId]); */
export const people: Easel["people"] = /* @__PURE__ */ createPeople(api);
/** Key-value data and records of the page's canvas. */
export const kv: Easel["kv"] = /* @__PURE__ */ createKv(api, watch);
/** Files of the page's canvas. */
export const files: Easel["files"] = /* @__PURE__ */ createFiles(api, watch, sendForm);
/** Submissions on the page's canvas. */
export const submissions: Easel["submissions"] = /* @__PURE__ */ createSubmissions(api);
/** Chats with AI models. */
export const ai: Easel["ai"] = /* @__PURE__ */ createAi(api);
/** Sends requests to external APIs that an administrator has approved. */
export const connections: Easel["connections"] = /* @__PURE__ */ createConnections(api, me);
/** Channels of the page's canvas. */
export const realtime: Easel["realtime"] = /* @__PURE__ */ createRealtime(socket);
/** Publishes canvases from the page, under the viewer's account. */
export const canvases: Easel["canvases"] = /* @__PURE__ */ createCanvases(api, sendForm);
