import type { IncomingMessage } from "node:http";
import { LIMITS } from "@easel/protocol/limits";
import type { Config } from "../../config/config.ts";
import type { Header } from "../../drivers/outbound/outbound.ts";
import { refuse } from "../../http/refusal.ts";
import { isRemoved } from "./removed-headers.ts";

/** Returns the header names that the `Connection` header lists. Such headers concern only the connection to the service. */
const namedByConnection = ({ headers }: IncomingMessage): string[] =>
  (headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase());

/**
 * Returns the headers of a request that are sent to the upstream, with names in lower case. Throws 413 `REQUEST_TOO_LARGE` if they are too
 * many or too long. Headers by which a sign-in proxy names the user are removed.
 */
export function callerHeaders(request: IncomingMessage, config: Config): Header[] {
  const { rawHeaders } = request;
  const identity = [config.proxyEmailHeader, config.proxyNameHeader, config.proxyJwtHeader];
  const removed = new Set([...namedByConnection(request), ...identity.map((name) => name.toLowerCase())]);
  const headers: Header[] = [];
  let bytes = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? "";
    const value = rawHeaders[index + 1] ?? "";
    if (isRemoved(name) || removed.has(name)) continue;
    headers.push([name, value]);
    bytes += name.length + value.length;
  }
  const { connectionHeaders, connectionHeaderBytes } = LIMITS;
  if (headers.length > connectionHeaders.value)
    refuse("REQUEST_TOO_LARGE", { message: `A request may have ${connectionHeaders.value} headers.` });
  if (bytes > connectionHeaderBytes.value)
    refuse("REQUEST_TOO_LARGE", {
      message: `Headers may have ${connectionHeaderBytes.value} bytes together.`,
    });
  return headers;
}

/**
 * Adds the protected headers of a profile to those of the caller. They replace headers of the caller with the same names, also with names
 * that an application reads as the same: `x-key` of the caller if `X_Key` is protected.
 */
export function withProtected(headers: Header[], added: Record<string, string>): Header[] {
  const names = new Set(Object.keys(added).map((name) => name.toLowerCase().replace(/[^a-z0-9]/g, "-")));
  const kept = headers.filter(([name]) => !names.has(name));
  return [...kept, ["accept-encoding", "identity"], ...Object.entries(added)];
}
