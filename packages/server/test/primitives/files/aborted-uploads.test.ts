import assert from "node:assert/strict";
import { subscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import type { Socket } from "node:net";
import { after, before, describe, it, mock } from "node:test";
import { type Stage, stage } from "@easel/conformance/fixture";
import { pageHeaders } from "@easel/conformance/page";
import { until } from "@easel/conformance/patience";
import type { Person } from "@easel/conformance/target";
import { startDev } from "../../support/engines.ts";
import { answersIn, dial } from "../../support/wire.ts";
import { staged, stored, untilStaged } from "./stored.ts";

const FILE = 'Content-Disposition: form-data; name="file"; filename="a.bin"';
const FIELD = 'Content-Disposition: form-data; name="scope"';
const FILE_FIRST = `--b\r\n${FILE}\r\n\r\n`;
const START = `--b\r\n${FIELD}\r\n\r\nshared\r\n${FILE_FIRST}`;
/** What follows a file: a field with this value, and the last boundary. */
const endWith = (scope: string) => `\r\n--b\r\n${FIELD}\r\n\r\n${scope}\r\n--b--\r\n`;
const MIB = 1024 * 1024;
const BYTES = "x".repeat(MIB);

describe("uploads that are not completed leave no row, no blob and no staged file", async () => {
  /** The sockets on the server's side, keyed by the port of the client. */
  const ends = new Map<number | undefined, Socket>();
  subscribe("http.server.request.start", (message) => {
    const { socket } = message as { socket: Socket };
    ends.set(socket.remotePort, socket);
  });
  const { target, env } = await startDev({ after });
  let canvas: Stage;
  before(async () => {
    canvas = await stage(target, { switches: { files: true } });
  });

  /** Opens a connection and sends the head of an upload. */
  async function begin(person: Person, length?: number): Promise<Socket> {
    const socket = await dial(target.base);
    socket.on("error", () => {});
    const size: [string, string] =
      length === undefined ? ["Transfer-Encoding", "chunked"] : ["Content-Length", String(length)];
    const headers = [
      ["Host", new URL(target.base).host],
      ["Content-Type", "multipart/form-data; boundary=b"],
      size,
      ...person.headers,
      ...pageHeaders(target, canvas.slug),
    ];
    const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
    socket.write(`POST /v1/c/${canvas.slug}/files HTTP/1.1\r\n${lines}\r\n`);
    return socket;
  }

  const chunk = (bytes: string) => `${bytes.length.toString(16)}\r\n${bytes}\r\n`;

  /** Reads the only response on a connection. Returns its status and error code. */
  async function answerOn(socket: Socket): Promise<{ status: number | undefined; code: unknown }> {
    let text = "";
    socket.setEncoding("utf8").on("data", (data: string) => {
      text += data;
    });
    await until("the response is there", () => /\r\n\r\n\{.*\}/s.test(text));
    socket.destroy();
    const [answer] = answersIn(text);
    return { status: answer?.status, code: JSON.parse(answer?.body ?? "").code };
  }

  const limit = async (name: string, bytes: number) => {
    await env.db.run`insert into quotas (name, value) values (${name}, ${bytes})`;
    return async () => void (await env.db.run`delete from quotas where name = ${name}`);
  };

  const REFUSED: [
    what: string,
    who: "owner" | "viewer",
    body: string[],
    status: number,
    code: string,
    quota?: string,
  ][] = [
    [
      "before the file: an unknown field",
      "owner",
      [`--b\r\n${FIELD.replace("scope", "other")}\r\n\r\nx`],
      400,
      "INVALID_BODY",
    ],
    ["before the file: a missing right", "viewer", [START], 403, "PERMISSION_DENIED"],
    ["in the middle: too large", "owner", [START, BYTES, BYTES], 413, "FILE_TOO_LARGE", "files.bytes.file"],
    [
      "in the middle: the quota is used up",
      "owner",
      [START, BYTES, BYTES],
      409,
      "QUOTA_EXCEEDED",
      "files.bytes.canvas",
    ],
    [
      "after the file: a field that was given before",
      "owner",
      [START, BYTES, endWith("shared")],
      400,
      "INVALID_BODY",
    ],
    ["after the file: an invalid field", "owner", [FILE_FIRST, BYTES, endWith("x"), ""], 400, "INVALID_BODY"],
    [
      "after the file: a missing right",
      "viewer",
      [FILE_FIRST, BYTES, endWith("shared"), ""],
      403,
      "PERMISSION_DENIED",
    ],
    [
      "after the file: a missing right, without fields",
      "viewer",
      [FILE_FIRST, BYTES, "\r\n--b--\r\n", ""],
      403,
      "PERMISSION_DENIED",
    ],
    [
      "in the middle, the file first: too large",
      "viewer",
      [FILE_FIRST, BYTES, BYTES],
      413,
      "FILE_TOO_LARGE",
      "files.bytes.file",
    ],
    [
      "in the middle, the file first: the quota is used up",
      "viewer",
      [FILE_FIRST, BYTES, BYTES],
      409,
      "QUOTA_EXCEEDED",
      "files.bytes.canvas",
    ],
    [
      "after the file: a boundary with a tail",
      "owner",
      [START, BYTES, "\r\n--bx\r\n\r\n"],
      400,
      "INVALID_BODY",
    ],
    ["after the file: no last boundary", "owner", [START, BYTES, ""], 400, "INVALID_BODY"],
  ];
  for (const [what, who, body, status, code, quota] of REFUSED) {
    it(`refused ${what}: ${status} ${code}`, async () => {
      const previous = await stored(env);
      const restore = quota === undefined ? undefined : await limit(quota, MIB);
      const socket = await begin(canvas.people[who]);
      for (const bytes of body) socket.write(chunk(bytes));
      assert.deepEqual(await answerOn(socket), { status, code });
      await restore?.();
      assert.deepEqual(await stored(env), previous);
    });
  }

  const BY_LENGTH: [code: string, status: number, bytes: number, quota?: string][] = [
    ["FILE_TOO_LARGE", 413, 26 * MIB],
    ["QUOTA_EXCEEDED", 409, 2 * MIB, "files.bytes.canvas"],
  ];
  for (const [code, status, bytes, quota] of BY_LENGTH) {
    it(`refused by its length before a byte of the file is stored: ${status} ${code}`, async () => {
      const previous = await stored(env);
      const restore = quota === undefined ? undefined : await limit(quota, MIB);
      for (const start of [START, FILE_FIRST]) {
        const socket = await begin(canvas.people.owner, bytes);
        socket.write(start);
        assert.deepEqual(await answerOn(socket), { status, code });
      }
      await restore?.();
      assert.deepEqual(await stored(env), previous);
    });
  }

  const CUTS: [where: string, bytes: string, isStored: boolean][] = [
    ["before the first boundary", "", false],
    ["in the first boundary", "--", false],
    ["in a field", START.slice(0, START.indexOf("shared") + 3), false],
    ["in the header of the file", START.slice(0, -10), false],
    ["in the file", START + BYTES, true],
    ["in the last boundary", `${START}${BYTES}\r\n--b`, true],
    ["in the file, which is first", FILE_FIRST + BYTES, true],
    ["in a field after the file", FILE_FIRST + BYTES + endWith("shared").slice(0, -12), true],
    ["in the last boundary after a field", FILE_FIRST + BYTES + endWith("shared").slice(0, -4), true],
  ];
  for (const [where, bytes, isStored] of CUTS) {
    for (const how of ["reset", "closed"] as const) {
      it(`${how} ${where}`, async () => {
        const previous = await stored(env);
        const socket = await begin(canvas.people.owner, 10 * MIB);
        socket.write(bytes);
        const { localPort } = socket;
        await until("the request is there", () => ends.has(localPort));
        if (isStored) await untilStaged(env, 1);
        if (how === "reset") socket.resetAndDestroy();
        else socket.destroy();
        await until("the service knows", () => ends.get(localPort)?.destroyed === true);
        await untilStaged(env, 0);
        assert.deepEqual(await stored(env), previous);
      });
    }
  }

  it("stalled in the file for 20 seconds: 408", async () => {
    const previous = await stored(env);
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      const socket = await begin(canvas.people.owner, 10 * MIB);
      socket.write(START + BYTES);
      while ((await staged(env)).length === 0);
      let text = "";
      socket.setEncoding("utf8").on("data", (data: string) => {
        text += data;
      });
      while (!/\r\n\r\n\{.*\}/s.test(text)) {
        mock.timers.tick(20_000);
        await new Promise(setImmediate);
      }
      socket.destroy();
      await once(socket, "close");
      assert.match(text, /^HTTP\/1\.1 408 .*"INVALID_BODY"/s);
    } finally {
      mock.timers.reset();
    }
    await untilStaged(env, 0);
    assert.deepEqual(await stored(env), previous);
  });

  it("and the next upload of the same bytes succeeds", async () => {
    const body = `${START}${BYTES}\r\n--b--\r\n`;
    const socket = await begin(canvas.people.owner, body.length);
    socket.write(body);
    assert.equal((await answerOn(socket)).status, 201);
    assert.equal((await stored(env)).files.length, 1);
  });
});
