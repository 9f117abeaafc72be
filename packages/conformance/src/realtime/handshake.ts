import { randomBytes } from "node:crypto";
import type { Duplex } from "node:stream";
import { type Answer, type Header, read, start } from "../http.ts";
import { pageHeaders, pageOrigin, runtimePath } from "../page.ts";
import type { Person, Target } from "../target.ts";

/** Returns the headers that a browser adds to the WebSocket handshake of a canvas's page. A browser sends no Referer with it. */
export function socketHeaders(target: Target, slug: string): Header[] {
  if (target.ids !== undefined) return pageHeaders(target, slug).filter(([name]) => name !== "Referer");
  const site = target.urlMode === "path" ? "same-origin" : "same-site";
  return [
    ["Origin", pageOrigin(target, slug)],
    ["Sec-Fetch-Site", site],
  ];
}

/** The headers of a WebSocket handshake. */
export const UPGRADE: Header[] = [
  ["Connection", "Upgrade"],
  ["Upgrade", "websocket"],
  ["Sec-WebSocket-Version", "13"],
  ["Sec-WebSocket-Key", randomBytes(16).toString("base64")],
];

/**
 * What a test changes in a WebSocket handshake. Fields that are absent are as in a handshake of a browser on the canvas's page. `headers`
 * replaces the headers that a browser adds, such as `Origin`; `upgrade` replaces those of the WebSocket protocol.
 */
export interface Handshake {
  method?: string;
  path?: string;
  host?: string;
  headers?: Header[];
  upgrade?: Header[];
}

/**
 * The response to a handshake. If its status is 101, `wire` is the open connection, and `head` has the first bytes that the service has
 * sent on it. Otherwise `wire` is null and `head` is empty.
 */
interface Outcome {
  answer: Answer;
  wire: Duplex | null;
  head: Buffer;
}

/** Sends a handshake to a canvas and returns the response. Closes the connection if the status is 101. */
export async function knock(
  target: Target,
  slug: string,
  person: Person | null,
  handshake: Handshake = {},
): Promise<Answer> {
  const { answer, wire } = await shake(target, slug, person, handshake);
  wire?.destroy();
  return answer;
}

/** Sends a handshake to a canvas. If the status is 101, tests can write any bytes to the returned connection. */
export function shake(
  target: Target,
  slug: string,
  person: Person | null,
  {
    method = "GET",
    path = `${runtimePath(target, slug)}/realtime`,
    host,
    headers,
    upgrade = UPGRADE,
  }: Handshake = {},
): Promise<Outcome> {
  const own = headers ?? socketHeaders(target, slug);
  const request = {
    method,
    path,
    headers: [...(person?.headers ?? []), ...own, ...upgrade],
    ...(host === undefined ? {} : { host }),
  };
  return new Promise((resolve, reject) => {
    const out = start(target.base, request, false);
    out.on("upgrade", ({ statusCode, headers: answered }, wire, head) => {
      const answer = {
        status: statusCode ?? 0,
        headers: answered,
        bytes: Buffer.alloc(0),
        text: "",
        json: {},
      };
      resolve({ answer, wire, head });
    });
    out.on("response", (response) =>
      read(response).then((answer) => resolve({ answer, wire: null, head: Buffer.alloc(0) }), reject),
    );
    out.on("timeout", () => out.destroy(new Error(`no answer to the handshake at ${path}`)));
    out.on("error", reject);
    out.end();
  });
}
