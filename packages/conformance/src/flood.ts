import { type Answer, type Header, type Request, read, start } from "./http.ts";
import { PATIENCE_MS } from "./patience.ts";

/**
 * A request body that stops before its end. `announced` is the Content-Length in bytes, null for a chunked body; `sent` is the number of
 * bytes that are sent.
 */
export interface Flood {
  announced: number | null;
  sent: number;
}

const SLICE = Buffer.alloc(64 * 1024, "a");
const RESETS = ["EPIPE", "ECONNRESET"];
/**
 * Milliseconds between two writes of a body. In this time Node can read a response. Without the pause, a write that fails would discard an
 * unread response.
 */
const PAUSE_MS = 2;

/**
 * Sends a request whose body stops before its end, and returns the response. A response proves that the service did not wait for the whole
 * body. Ignores a connection reset after the response. If the reset comes first, sends the request again, up to three times in all.
 */
export async function flood(base: string, request: Omit<Request, "body">, body: Flood): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await pour(base, request, body);
    } catch (error) {
      if (attempt === 3 || !RESETS.includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    }
  }
}

function pour(base: string, request: Omit<Request, "body">, { announced, sent }: Flood): Promise<Answer> {
  const framing: Header =
    announced === null ? ["Transfer-Encoding", "chunked"] : ["Content-Length", String(announced)];
  return new Promise((resolve, reject) => {
    const out = start(base, { ...request, headers: [...(request.headers ?? []), framing] }, false);
    let answeredYet = false;
    const late = setTimeout(
      () => out.destroy(new Error(`no answer within ${PATIENCE_MS} ms of ${sent} bytes`)),
      PATIENCE_MS,
    );
    out.on("error", (error) => answeredYet || reject(error));
    out.on("close", () => clearTimeout(late));
    out.on("response", (response) => {
      answeredYet = true;
      read(response)
        .then(resolve, reject)
        .finally(() => out.destroy());
    });
    out.flushHeaders();
    let left = sent;
    const slice = () => {
      if (left === 0 || answeredYet || out.destroyed) return;
      const bytes = SLICE.subarray(0, left);
      left -= bytes.length;
      out.write(bytes, () => setTimeout(() => setImmediate(slice), PAUSE_MS));
    };
    slice();
  });
}

/**
 * Sends two bytes of a body whose Content-Length is four, and closes the connection. Resolves 100 ms later; by then the service has noticed
 * that the connection is closed.
 */
export function hangUp(base: string, request: Omit<Request, "body">): Promise<void> {
  const headers = [...(request.headers ?? []), ["Content-Length", "4"] satisfies Header];
  return new Promise((resolve) => {
    const out = start(base, { ...request, headers }, false);
    out.on("error", () => {});
    out.on("close", () => setTimeout(resolve, 100));
    out.write("12", () => setTimeout(() => out.destroy(), 50));
  });
}
