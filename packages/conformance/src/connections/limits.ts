import { before, describe, it } from "node:test";
import type { Header } from "../http.ts";
import type { Target } from "../target.ts";
import { barred, passed, type Room, roomOf } from "./profile.ts";
import { freshMark, nothingWith, onlyWith } from "./upstream-log.ts";

const URL_BYTES = 8 * 1024;
const HEADER_COUNT = 32;
const HEADER_BYTES = 16 * 1024;
const BODY_BYTES = 256 * 1024;

/** Returns `count` headers whose names and values have `bytes` bytes in all. */
function headersOf(count: number, bytes: number): Header[] {
  const share = Math.floor(bytes / count);
  return Array.from({ length: count }, (_, index) => {
    const name = `x-n${String(index).padStart(2, "0")}`;
    const size = index === 0 ? bytes - share * (count - 1) : share;
    return [name, "v".repeat(size - name.length)];
  });
}

/** Headers that the service removes from a request before it counts the headers. They must not count toward the limits. */
const REMOVED: Header[] = Array.from({ length: 20 }, (_, index) => [`X-Forwarded-${index}`, "v".repeat(500)]);

/** Tests the limits of a request: each value at the limit, and one past it. */
export function limits(target: Target): void {
  describe("limits of a request", () => {
    let room: Room;
    before(async () => {
      room = await roomOf(target);
    });
    const ask = (method: string, rest: string, headers: Header[] = [], body?: Buffer) =>
      room.pages.viewer.send(method, `/connections/${room.profile}/${rest}`, headers, body);

    /** Registers a test: `request(most)` must pass, and `request(most + 1)` must get 413. `name` says what is counted. */
    const limited = (
      name: string,
      most: number,
      request: (size: number, mark: string) => ReturnType<typeof ask>,
    ) =>
      it(`${name}: ${most} pass, one more is 413 REQUEST_TOO_LARGE`, async () => {
        const [accepted, rejected] = [freshMark(), freshMark()];
        passed(await request(most, accepted));
        await onlyWith(target, accepted);
        barred(await request(most + 1, rejected), 413, "REQUEST_TOO_LARGE");
        await nothingWith(target, rejected);
      });
    const sized = (size: number, start: string) => start + "x".repeat(size - start.length);

    limited("bytes of the query", URL_BYTES, (size, mark) => ask("GET", sized(size, `?mark=${mark}&pad=`)));
    limited("bytes of path and query", URL_BYTES, (size, mark) => {
      const query = `?mark=${mark}`;
      return ask("GET", `${"x".repeat(size - query.length)}${query}`);
    });
    limited("headers", HEADER_COUNT, (size, mark) => ask("GET", `?mark=${mark}`, headersOf(size, 1_000)));
    limited("headers besides those that are removed", HEADER_COUNT, (size, mark) =>
      ask("GET", `?mark=${mark}`, [...REMOVED, ...headersOf(size, 1_000)]),
    );
    limited("bytes of headers", HEADER_BYTES, (size, mark) =>
      ask("GET", `?mark=${mark}`, headersOf(4, size)),
    );
    limited("bytes of headers besides those that are removed", HEADER_BYTES, (size, mark) =>
      ask("GET", `?mark=${mark}`, [...REMOVED, ...headersOf(4, size)]),
    );
    for (const method of ["POST", "PUT", "PATCH", "DELETE"])
      limited(`bytes of the body of a ${method}`, BODY_BYTES, (size, mark) =>
        ask(method, `?mark=${mark}`, [], Buffer.alloc(size, 97)),
      );
    limited("bytes of a chunked body", BODY_BYTES, (size, mark) =>
      ask("POST", `?mark=${mark}`, [["Transfer-Encoding", "chunked"]], Buffer.alloc(size, 97)),
    );

    for (const method of ["GET", "HEAD"])
      it(`${method} with a body of one byte: 413`, async () => {
        const mark = freshMark();
        const answer = await ask(method, `?mark=${mark}`, [], Buffer.from("a"));
        if (method === "GET") barred(answer, 413, "REQUEST_TOO_LARGE");
        else if (answer.status !== 413) throw new Error(`${answer.status}`);
        await nothingWith(target, mark);
      });
  });
}
