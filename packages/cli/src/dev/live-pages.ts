import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import type { Report } from "./call-report.ts";

/** The maximum size of a message from a page, and the number of errors that one page load may report. */
const MAX_BYTES = 8 * 1024;
const MAX_ERRORS = 20;

/** A message to open pages. `styles` are paths of style sheets that changed; `state` is what the bar shows. */
export type LiveMessage =
  | { type: "reload" }
  | { type: "styles"; paths: string[] }
  | { type: "state"; state: object };

/** Holds the WebSockets of the open pages. Announces changes to the pages, and receives their errors. */
export class LivePages {
  readonly #server = new WebSocketServer({ noServer: true, maxPayload: MAX_BYTES });
  readonly #report;
  /** The open WebSockets with their upgrade requests. */
  readonly #pages = new Map<WebSocket, IncomingMessage>();

  constructor(report: Report) {
    this.#report = report;
  }

  /** Accepts the WebSocket of a page, and sends the page what its bar shows. */
  accept(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    stateFor: (request: IncomingMessage) => Promise<object>,
  ): void {
    this.#server.handleUpgrade(request, socket, head, (page) => {
      let errors = 0;
      this.#pages.set(page, request);
      page.on("close", () => this.#pages.delete(page));
      page.on("error", () => page.terminate());
      page.on("message", (data) => {
        if (++errors <= MAX_ERRORS) this.#report.add(`page: ${String(data)}`);
      });
      stateFor(request).then(
        (state) => send(page, { type: "state", state }),
        () => page.terminate(),
      );
    });
  }

  /** Sends a message to all open pages. */
  broadcast(message: LiveMessage): void {
    for (const page of this.#pages.keys()) send(page, message);
  }

  /** Sends every open page what its bar shows now. */
  async refresh(stateFor: (request: IncomingMessage) => Promise<object>): Promise<void> {
    for (const [page, request] of this.#pages) send(page, { type: "state", state: await stateFor(request) });
  }

  close(): void {
    for (const page of this.#pages.keys()) page.terminate();
    this.#server.close();
  }
}

function send(page: WebSocket, message: LiveMessage): void {
  if (page.readyState === page.OPEN) page.send(JSON.stringify(message));
}
