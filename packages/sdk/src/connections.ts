import type { ConnectionRights, Identity } from "@easel/protocol/types";
import type { NameOf } from "./canvas-types.ts";
import { invalid } from "./errors.ts";
import type { Api } from "./request.ts";
import { segment } from "./segment.ts";

/** Options of a call, as those of `fetch`. The SDK sets `credentials`, `referrerPolicy` and `redirect` itself. */
export type ConnectionInit = Omit<RequestInit, "credentials" | "referrerPolicy" | "redirect">;

/** Sends requests to external APIs, each of which an administrator has approved as a profile (specification 4.6). */
export interface Connections {
  /**
   * Calls the external API of a profile and resolves with its response, whatever the status. `path` is the path and query at that API.
   * Rejects if the service did not call the API or got no usable response. Never retries.
   * @throws EaselError with `CONNECTION_NOT_GRANTED`, `CONNECTION_DISABLED`, `METHOD_NOT_ALLOWED`, `PERMISSION_DENIED`,
   * `DESTINATION_BLOCKED`, `UPSTREAM_TIMEOUT`, `UPSTREAM_UNAVAILABLE`, `RESPONSE_TOO_LARGE`; QuotaExceededError with `CONNECTION_LIMIT`,
   * `CONNECTION_RATE_LIMIT`, `REQUEST_TOO_LARGE`.
   * @example const response = await easel.connections.fetch("weather", "/v1/forecast?latitude=52.5&longitude=13.4");
   */
  fetch(profile: NameOf<"connections">, path: string, init?: ConnectionInit): Promise<Response>;
  /**
   * Resolves with the methods that the viewer may use with a profile. If the profile is not granted to the canvas, `invoke` is false and
   * `methods` is empty.
   * @example const { invoke, methods } = await easel.connections.status("weather");
   */
  status(profile: NameOf<"connections">): Promise<ConnectionRights>;
}

/** Whether a response is that of the external API, and not one of the service itself. */
const isUpstream = ({ headers }: Response) => headers.get("x-service-connection-response") === "upstream";

/** Creates `easel.connections`. */
export function createConnections(api: Api, me: () => Promise<Identity>): Connections {
  return {
    async fetch(profile, path, init = {}) {
      const target = `/connections/${segment(profile, "profile")}${pathOf(path)}`;
      // `fetch` converts to upper case only some methods; `patch` stays as it is, and no API knows it.
      const method = (init.method ?? "GET").toUpperCase();
      requireValid(api.url(target), { ...init, method });
      return api.send(method, target, init, undefined, isUpstream);
    },
    async status(profile) {
      const { connections } = (await me()).resources;
      const rights = Object.hasOwn(connections, profile) ? connections[profile] : undefined;
      return rights ?? { invoke: false, methods: [] };
    },
  };
}

/**
 * Normalises a path and query at an external API: `a/../b?c` becomes `/b?c`. Surplus `..` segments have no effect, so that the path cannot
 * reach another profile. Throws if the path has an origin such as `https://example.com`.
 */
function pathOf(path: string): string {
  if (typeof path !== "string") throw invalid("The path must be a string.");
  if (/^\s*[a-z][a-z\d+.-]*:\/\//i.test(path))
    throw invalid("The path must not have an origin: the profile determines it.");
  const { pathname, search } = new URL(`https://profile${/^[/\\]/.test(path) ? "" : "/"}${path}`);
  return pathname + search;
}

/** Throws if `fetch` would reject the options, such as a GET with a body. Does not read the body, which may be a stream. */
function requireValid(url: string, { body, ...init }: RequestInit): void {
  try {
    new Request(url, { ...init, body: body == null ? null : "" });
  } catch (cause) {
    throw invalid("`fetch` does not accept these options.", cause);
  }
}
