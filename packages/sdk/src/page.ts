import { createAi } from "./ai.ts";
import { createCanvases } from "./canvases.ts";
import { createConnections } from "./connections.ts";
import { createFiles } from "./files.ts";
import { createKv } from "./kv.ts";
import { createMe } from "./me.ts";
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

export const me = /* @__PURE__ */ createMe(api);
export const kv = /* @__PURE__ */ createKv(api, watch);
export const files = /* @__PURE__ */ createFiles(api, watch, sendForm);
export const submissions = /* @__PURE__ */ createSubmissions(api);
export const ai = /* @__PURE__ */ createAi(api);
export const connections = /* @__PURE__ */ createConnections(api, me);
export const realtime = /* @__PURE__ */ createRealtime(socket);
export const canvases = /* @__PURE__ */ createCanvases(api, sendForm);
