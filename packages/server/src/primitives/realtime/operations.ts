import type { Description } from "../description.ts";

/** Describes `GET /realtime` for the OpenAPI document. */
export const realtimeOperations: Description = {
  title: "Realtime",
  summary:
    "Messages between open pages, presence, and notifications of changed data, over one WebSocket. OpenAPI cannot describe its frames: see the [realtime reference](realtime.md).",
  operations: {
    "GET /realtime": {
      id: "realtime.connect",
      summary: "Opens a WebSocket.",
      details:
        "A request that is no handshake of WebSocket version 13 gets 426. If realtime is off, or the canvas has too many connections, the WebSocket opens and is closed with the code 4403 or 4429, because pages cannot read the response to a failed handshake.",
      responses: {
        101: {
          description: "The connection is a WebSocket. Each frame is a JSON object with a `type`.",
          headers: { Upgrade: "Always `websocket`." },
        },
      },
      errors: ["UPGRADE_REQUIRED"],
    },
  },
};
