import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import { until } from "@easel/conformance/patience";
import { atEnd, type Scope } from "../../../server/test/support/service.ts";
import { easel } from "./easel.ts";

/** A running `easel dev`. */
export interface Dev {
  /** The URL of the page, as `easel dev` has printed it. */
  url: string;
  /** The host with the port. */
  host: string;
  /** Waits until the output on stderr matches. */
  says(pattern: RegExp): Promise<void>;
  /** Returns everything that was written to stderr. */
  said(): string;
  /** Presses Ctrl-C and returns the exit code. */
  stop(): Promise<number>;
}

/** Runs `easel dev` with throw-away data until the scope ends. */
export async function startDev(scope: Scope, folder: string, ...options: string[]): Promise<Dev> {
  const interruption = new AbortController();
  let stdout = "";
  let stderr = "";
  let ended: number | null = null;
  const run = easel(["dev", folder, "--throw-away", ...options], {
    signal: interruption.signal,
    onStdout: (text) => {
      stdout = text;
    },
    onStderr: (text) => {
      stderr = text;
    },
  }).then(({ code }) => {
    ended = code;
    return code;
  });
  const stop = () => {
    interruption.abort();
    return run;
  };
  atEnd(scope, stop);
  await until("easel dev is there", () => stderr.includes("Ctrl-C") || ended !== null);
  assert.equal(ended, null, stderr);
  const url = stdout.trim();
  return {
    url,
    host: new URL(url).host,
    says: (pattern) => until(String(pattern), () => pattern.test(stderr)),
    said: () => stderr,
    stop,
  };
}

/** A response with its whole body. */
export interface RawResponse {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: Buffer;
}

/** Sends a request to the port of a URL on this machine, with any `Host` header. */
export async function ask(
  url: string,
  {
    method = "GET",
    headers = {},
    body,
  }: { method?: string; headers?: http.OutgoingHttpHeaders; body?: string } = {},
): Promise<RawResponse> {
  const { port, pathname, search } = new URL(url);
  const request = http.request({
    host: "127.0.0.1",
    port,
    method,
    path: pathname + search,
    headers,
    agent: false,
  });
  request.end(body);
  const [response] = (await once(request, "response")) as [http.IncomingMessage];
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: Buffer.concat(await response.toArray()),
  };
}
