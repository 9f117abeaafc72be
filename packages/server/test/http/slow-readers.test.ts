import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { subscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import type { Socket } from "node:net";
import { after, before, describe, it, mock } from "node:test";
import { type Stage, stage } from "@easel/conformance/fixture";
import { type Answer, send } from "@easel/conformance/http";
import { until } from "@easel/conformance/patience";
import type { Person } from "@easel/conformance/target";
import { createApp } from "../../src/app.ts";
import { Concurrency } from "../../src/async/task-pool.ts";
import { KvStore } from "../../src/primitives/kv/store.ts";
import { times } from "../drivers/databases.ts";
import { startDev } from "../support/engines.ts";
import { publish } from "../support/publish.ts";
import { dial } from "../support/wire.ts";

const KEYS = 1_000;
const VALUE = { value: JSON.stringify("x".repeat(60_000)), number: null };
const VIDEO = randomBytes(20 * 1024 * 1024);

describe("clients that read nothing", async () => {
  /** The sockets on the server's side, keyed by the port of the client. */
  const ends = new Map<number | undefined, Socket>();
  subscribe("http.server.request.start", (message) => {
    const { socket } = message as { socket: Socket };
    ends.set(socket.remotePort, socket);
  });
  // A timer checks the connections, so it is mocked before the service starts.
  mock.timers.enable({ apis: ["setInterval"] });
  after(() => mock.timers.reset());
  const { target, env } = await startDev({ after });
  let here: Stage;
  before(async () => {
    here = await stage(target, { access: "public_link" });
    await publish(target, here, { "index.html": "page", "video.mp4": VIDEO });
    const store = new KvStore(env.db, here.id, "");
    await times(KEYS, (index) => store.put(`k${1000 + index}`, VALUE, KEYS));
  });

  const ANSWERS: [what: string, path: (slug: string) => string, who: "owner" | null][] = [
    ["the longest page of a list", (slug) => `/v1/c/${slug}/kv?limit=1000`, "owner"],
    ["a usual page of large values", (slug) => `/v1/c/${slug}/kv`, "owner"],
    ["a public file", (slug) => `/c/${slug}/video.mp4`, null],
    ["a range of it", (slug) => `/c/${slug}/video.mp4`, null],
  ];

  const ask = async (path: string, person: Person | null, more = "") => {
    const socket = await dial(target.base);
    socket.on("error", () => {}).pause();
    const cookie = person?.headers.map(([name, value]) => `${name}: ${value}\r\n`).join("") ?? "";
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${new URL(target.base).host}\r\n${cookie}${more}\r\n`);
    await once(socket, "readable");
    return socket;
  };

  for (const [what, path, who] of ANSWERS) {
    it(`${what}: the connection is destroyed after a minute`, async () => {
      const range = what === "a range of it" ? "Range: bytes=1000-\r\n" : "";
      const socket = await ask(path(here.slug), who && here.people[who], range);
      await until("it is destroyed", async () => {
        mock.timers.tick(5_000);
        return ends.get(socket.localPort)?.destroyed === true;
      });
      socket.destroy();
    });
  }

  it("concurrent large responses of a user: 429 beyond the limit, until one ends; other users are not affected", async () => {
    const get = (person: Person | null, path: string): Promise<Answer> =>
      send(target.base, { method: "GET", path, headers: person?.headers ?? [] });
    const { owner, editor } = here.people;
    const list = ANSWERS[0]?.[1](here.slug) ?? "";
    const video = ANSWERS[2]?.[1](here.slug) ?? "";
    const usual = env.responses;
    env.responses = new Concurrency(2);
    const held = [await ask(list, owner), await ask(video, owner)];
    for (const path of [list, video, `/v1/c/${here.slug}/kv?limit=1`]) {
      const { status, headers, json } = await get(owner, path);
      assert.deepEqual([status, json.code, headers["retry-after"]], [429, "CONCURRENCY_LIMIT", "1"], path);
    }
    assert.equal((await get(owner, `/c/${here.slug}/`)).status, 200);
    assert.equal((await get(editor, video)).status, 200);
    assert.equal((await get(null, video)).status, 200);
    for (const socket of held) socket.destroy();
    await until("there is room again", async () => (await get(owner, list)).status === 200);
    env.responses = usual;
  });

  it("the head of a request must arrive within 15 seconds", async () => {
    const app = await createApp(env);
    assert.equal(app.server.headersTimeout, 15_000);
    await app.close();
  });
});
