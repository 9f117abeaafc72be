import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { LIMITS } from "@easel/protocol/limits";
import { WebSocketServer } from "ws";
import { policyOf } from "../../canvases/policy.ts";
import type { Env } from "../../env.ts";
import { answerClientError } from "../../http/errors.ts";
import { refuse } from "../../http/refusal.ts";
import { operation, type Primitive, type UpgradeCall, type Upgrader } from "../primitive.ts";
import { ClientSocket, type ReadAccess } from "./client.ts";
import { Hub } from "./hub.ts";

const VERSION = "13";

const OPTIONS = {
  WebSocket: ClientSocket,
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  // The maximum size of a message in bytes; a larger one closes the connection. It exceeds the limit of a frame, so that the client gets
  // an error frame for a frame that is only a little too long.
  maxPayload: 8 * LIMITS.frameBytes.value,
  maxFragments: 1_024,
  /** The maximum wait for the close frame of the peer, in milliseconds. */
  closeTimeout: 2_000,
  handleProtocols: () => false as const,
};

/** Throws 426 `UPGRADE_REQUIRED`, which tells the client to open a WebSocket of the supported version. */
function refuseHandshake(): never {
  const message = `This address is opened as a WebSocket, version ${VERSION}.`;
  refuse("UPGRADE_REQUIRED", { message }, undefined, {
    upgrade: "websocket",
    "sec-websocket-version": VERSION,
  });
}

/** Upgrades HTTP connections to WebSockets, which the hub then serves. */
class Handshakes implements Upgrader {
  readonly #env: Env;
  readonly #hub: Hub;
  readonly #server = new WebSocketServer(OPTIONS);
  /** The requests whose handshakes are under way, each with its id and the response headers set so far. */
  readonly #pending = new WeakMap<IncomingMessage, { requestId: string; headers: Record<string, unknown> }>();

  constructor(env: Env) {
    this.#env = env;
    this.#hub = new Hub(env);
    this.#server.on("headers", (lines, request) => {
      for (const [name, value] of Object.entries(this.#pending.get(request)?.headers ?? {}))
        for (const each of [value].flat()) lines.push(`${name}: ${each}`);
    });
    this.#server.on("wsClientError", (error, stream, request) => {
      const socket = stream as Socket;
      answerClientError(error, socket, this.#pending.get(request)?.requestId ?? "");
      socket.destroySoon();
    });
  }

  accept(call: UpgradeCall): void {
    const { request, requestId, head, user, credential, passes, canvas, role } = call;
    if (request.headers["sec-websocket-version"] !== VERSION) refuseHandshake();
    const readAccess = accessReader(call, this.#env);
    const { socket, headers } = call.takeSocket();
    this.#pending.set(request, { requestId, headers });
    this.#server.handleUpgrade(request, socket, head, (ws) => {
      this.#hub.add(
        ws,
        socket,
        { user, credential, passes, canvas, role, policy: {} },
        readAccess,
        requestId,
      );
    });
  }

  start(): Promise<void> {
    return this.#hub.start();
  }

  close(): Promise<void> {
    return this.#hub.close();
  }
}

/** Returns a function that checks the caller's access again and reads the policy of the canvas again. */
function accessReader({ readmit }: UpgradeCall, env: Env): ReadAccess {
  return async () => {
    const admitted = await readmit();
    return { ...admitted, policy: await policyOf(admitted.canvas, env) };
  };
}

/**
 * `GET /realtime`, the WebSocket of a canvas (specification 4.7). A caller without access gets an HTTP error. If the capability is off or
 * the canvas has too many connections, the WebSocket opens and is closed with a code, because pages can read this code but no HTTP error.
 */
export const realtime: Primitive = {
  capability: "realtime",
  title: "Realtime",
  summary:
    "Messages between open pages, presence, and notifications of changed data, over one WebSocket. OpenAPI cannot describe its frames: see the [realtime reference](realtime.md).",
  operations: [
    {
      ...operation({
        name: "realtime.connect",
        cost: "cheap",
        method: "GET",
        path: "/realtime",
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
        run: async () => refuseHandshake(),
      }),
      upgrade: (env) => new Handshakes(env),
    },
  ],
};
