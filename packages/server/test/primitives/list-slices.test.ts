import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, describe, it } from "node:test";
import { type Stage, share, stage } from "@easel/conformance/fixture";
import { send } from "@easel/conformance/http";
import { until } from "@easel/conformance/patience";
import { type SqlText, textOf } from "../../src/drivers/db/db.ts";
import { KvStore } from "../../src/primitives/kv/store.ts";
import { times } from "../drivers/databases.ts";
import { startDev } from "../support/engines.ts";
import { dial } from "../support/wire.ts";

const LONG = JSON.stringify("x".repeat(60_000));
const KEYS = 1_000;

const isPage = (text: SqlText) => textOf(text).includes("select key, value, number from kv");

describe("a list of 60 MB", async () => {
  const { target, env } = await startDev({ after });
  let here: Stage;
  let path: string;
  before(async () => {
    here = await stage(target);
    path = `/v1/c/${here.slug}/kv?limit=${KEYS}`;
    const store = new KvStore(env.db, here.id, "");
    await times(KEYS, (index) => store.put(`k${1000 + index}`, { value: LONG, number: null }, KEYS));
  });
  const get = () => send(target.base, { method: "GET", path, headers: here.people.viewer.headers });
  /** Requests the list and reads nothing of the response. `rest` reads until the connection is closed, and returns the text. */
  const slowReader = async () => {
    const socket = await dial(target.base);
    socket.pause();
    const cookie = here.people.viewer.headers.find(([name]) => name === "Cookie")?.[1];
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${new URL(target.base).host}\r\nCookie: ${cookie}\r\n\r\n`);
    await once(socket, "readable");
    return {
      socket,
      async rest() {
        const chunks: Buffer[] = [];
        socket.on("error", () => {});
        socket.on("data", (chunk: Buffer) => chunks.push(chunk));
        await once(socket, "close");
        return Buffer.concat(chunks).toString();
      },
    };
  };
  const isWell = async () =>
    assert.equal((await send(target.base, { method: "GET", path: "/healthz" })).status, 200);

  it("is read as fast as the client takes it", async (t) => {
    const head = t.mock.method(env.db, "head");
    const reads = () => head.mock.calls.filter(({ arguments: [, text] }) => isPage(text)).length;
    const { socket } = await slowReader();
    await until("it is read", () => reads() > 0);
    for (let each = 0; each < 50; each++) await isWell();
    // The buffers of the operating system take some megabytes, and the service holds one or two slices of the list.
    const taken = reads();
    assert.ok(taken < 120, String(taken));
    for (const { result } of head.mock.calls) {
      const { rows } = (await result) as { rows: { value: string }[] };
      assert.ok(rows.reduce((sum, { value }) => sum + value.length, 0) <= 256 * 1024);
    }
    for (let each = 0; each < 50; each++) await isWell();
    assert.equal(reads(), taken);
    socket.destroy();

    const { status, json } = await get();
    const entries = json.entries as { key: string }[];
    assert.deepEqual([status, entries.length, entries.at(-1)?.key], [200, KEYS, "k1999"]);
  });

  it("is aborted when the caller loses access: no later value is sent", async () => {
    const store = new KvStore(env.db, here.id, "");
    const { socket, rest } = await slowReader();
    await share(target, here, "private", { editor: "editor" });
    await store.put("k1990", { value: '"written after the removal"', number: null }, KEYS);
    const text = await rest();
    assert.match(text, /^HTTP\/1.1 200 /);
    assert.doesNotMatch(text, /written after the removal|"nextCursor"/);
    assert.ok(socket.destroyed);
    await share(target, here, "private", { editor: "editor", viewer: "viewer" });
  });

  it("is aborted when the database fails", async (t) => {
    const { head } = env.db;
    let reads = 0;
    t.mock.method(env.db, "head", async (size: number, text: SqlText, ...values: never[]) => {
      if (isPage(text) && ++reads === 4) throw new Error("the database is down");
      return head(size, text, ...values);
    });
    const told = t.mock.method(env.log, "error", () => {});
    await assert.rejects(get());
    assert.equal(told.mock.callCount(), 1);
    await isWell();
  });
});
