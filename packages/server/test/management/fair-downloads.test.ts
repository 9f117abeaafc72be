import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { Socket } from "node:net";
import { after, before, beforeEach, it } from "node:test";
import { upload as uploadFile } from "@easel/conformance/files/form";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import { send } from "@easel/conformance/http";
import { until } from "@easel/conformance/patience";
import { refused } from "@easel/conformance/refusal";
import { LIMITS } from "@easel/protocol/limits";
import { Concurrency } from "../../src/async/task-pool.ts";
import { CountedPool } from "../support/counted-pool.ts";
import { onSqlite } from "../support/engines.ts";
import { publish } from "../support/publish.ts";
import { dial } from "../support/wire.ts";

/** More bytes than the buffers of a connection hold. */
const LARGE = randomBytes(8 * 1024 * 1024);

await onSqlite("downloads of several people", (target, env) => {
  let site: Stage;
  let small: Stage;
  let pool: CountedPool;
  const ids = { owner: "", editor: "" };
  const { downloads } = env;
  before(async () => {
    site = await stage(target, { switches: { files: true } });
    await publish(target, site, { "index.html": "home", "large.bin": LARGE });
    assert.equal((await uploadFile(site.pages.owner, {}, { bytes: LARGE })).status, 201);
    small = await stage(target, { people: site.people });
    await publish(target, small, { "index.html": "home" });
    for (const role of ["owner", "editor"] as const)
      ids[role] = String((await manage(target, site.people[role], "GET", "/api/me")).json.id);
  });
  beforeEach(() => {
    pool = new CountedPool({ running: Infinity, runningEach: LIMITS.downloads.value, waitingEach: 1 });
    env.downloads = pool;
  });
  after(() => Object.assign(env, { downloads }));

  const ROWS: [name: string, path: (canvas: Stage) => string][] = [
    ["exports", ({ id }) => `/api/canvases/${id}/export`],
    ["zips of a version", ({ id }) => `/api/canvases/${id}/bundle`],
  ];

  type Downloader = "owner" | "editor";

  /** Requests a path and reads nothing of the response. */
  const ignore = async (role: Downloader, path: string): Promise<Socket> => {
    const socket = await dial(target.base);
    socket.on("error", () => {}).pause();
    const headers = site.people[role].headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${new URL(target.base).host}\r\n${headers}\r\n`);
    return socket;
  };
  const get = (role: Downloader, path: string, method = "GET") =>
    send(target.base, { method, path, headers: site.people[role].headers });

  for (const [name, path] of ROWS) {
    it(`${name}: two at once, whose reader is slow, delay only the third of that reader`, async () => {
      const held = [await ignore("editor", path(site)), await ignore("editor", path(site))];
      for (const socket of held) await once(socket, "readable");
      assert.equal(pool.running, 2);
      const third = get("editor", path(site));
      await until("the third waits", () => !pool.hasRoom(ids.editor));
      refused(await get("editor", path(site)), 503, "UNAVAILABLE");
      const other = await get("owner", path(site));
      assert.equal(other.status, 200);
      assert.ok(other.bytes.length > LARGE.length);
      assert.equal(pool.running, 2);
      held[0]?.destroy();
      const { status, bytes } = await third;
      assert.equal(status, 200);
      assert.ok(bytes.length > LARGE.length);
      held[1]?.destroy();
      await until("the places are free", () => pool.running === 0);
    });

    it(`${name}: a waiting one leaves when its client goes`, async () => {
      const held = [await ignore("editor", path(site)), await ignore("editor", path(site))];
      for (const socket of held) await once(socket, "readable");
      const third = await ignore("editor", path(site));
      await until("the third waits", () => !pool.hasRoom(ids.editor));
      third.destroy();
      await until("the third has left", () => pool.hasRoom(ids.editor));
      assert.equal(pool.running, 2);
      for (const socket of held) socket.destroy();
      await until("the places are free", () => pool.running === 0);
    });
  }

  const ENDS: [name: string, request: () => Promise<unknown>][] = [
    [
      "one that is made and not read",
      async () => once(await ignore("editor", `/api/canvases/${small.id}/export`), "readable"),
    ],
    ["HEAD", () => get("editor", `/api/canvases/${site.id}/bundle`, "HEAD")],
    ["one that is refused", () => get("editor", `/api/canvases/${site.id}/versions/none/bundle`)],
    [
      "one that is refused as a large response",
      async () => {
        const { responses } = env;
        env.responses = new Concurrency(0);
        refused(await get("editor", `/api/canvases/${site.id}/bundle`), 429, "CONCURRENCY_LIMIT");
        env.responses = responses;
      },
    ],
  ];
  for (const [name, request] of ENDS) {
    it(`${name} holds no place`, async () => {
      await request();
      await until("the place is free", () => pool.running === 0);
      assert.equal((await get("editor", `/api/canvases/${small.id}/bundle`)).status, 200);
    });
  }
});
