import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { share, stage } from "@easel/conformance/fixture";
import { send } from "@easel/conformance/http";
import { until } from "@easel/conformance/patience";
import { are, enter, join, leave, message, presence } from "@easel/conformance/realtime/frame";
import { room } from "@easel/conformance/realtime/room";
import { connect, type Socket } from "@easel/conformance/realtime/socket";
import { refused } from "@easel/conformance/refusal";
import { same } from "@easel/conformance/same";
import type { Person, Target } from "@easel/conformance/target";
import { startDev } from "../../support/engines.ts";
import { type RedisServer, redisProgram, startRedis } from "../../support/redis-server.ts";
import { atEnd, ENGINES, type Engine, fileScope, temporaryDirectory } from "../../support/service.ts";

const postgres = ENGINES.find(({ name }) => name === "postgres") as Engine;
const skip = postgres.skip || (redisProgram() === undefined && "Redis is not installed");

const scope = fileScope();

/** Far above the time in which a request must be refused while the bus is away, and far below that for which it is away. */
const BOUND_MS = 10_000;

const watched = { resource: "kv", prefix: "" } as const;

/** Starts two services of one instance: with one database, one directory of blobs, and one bus. */
async function start(): Promise<{ at: RedisServer; nodes: [Target, Target] }> {
  const at = await startRedis(redisProgram() as string);
  atEnd(scope, () => at.remove());
  const settings = {
    SERVICE_DATABASE_URL: await postgres.migratedDatabase(scope),
    SERVICE_BLOBS_URL: `file:${await temporaryDirectory(scope)}`,
    SERVICE_BUS_URL: at.url,
    SERVICE_SESSION_SECRET: "s".repeat(40),
    SERVICE_RATELIMIT_ENABLED: "true",
    SERVICE_RATELIMIT_CANVAS_API_PER_MIN: "50",
    SERVICE_RATELIMIT_MANAGEMENT_PER_MIN: "1000",
    SERVICE_RATELIMIT_LOGIN_PER_MIN: "1000",
    SERVICE_LOG_LEVEL: "fatal",
  };
  const [one, two] = [await startDev(scope, settings), await startDev(scope, settings)];
  return { at, nodes: [one.target, two.target] };
}

const { at, nodes } = skip ? ({ nodes: [] } as never) : await start();
const [one, two] = nodes;

/** Opens a realtime connection of a person on each of the nodes. */
const onBoth = async ({ slug }: { slug: string }, person: Person): Promise<[Socket, Socket]> => [
  await connect(one, slug, person),
  await connect(two, slug, person),
];

const kv = (target: Target, { slug }: { slug: string }, { headers }: Person, method = "GET") =>
  send(target.base, {
    method,
    path: `/v1/c/${slug}/kv/k`,
    headers: [...headers, ["content-type", "application/json"], ["origin", target.base]],
    ...(method === "GET" ? {} : { body: "1" }),
  });

describe("two services on PostgreSQL and Redis", { skip, timeout: 240_000 }, () => {
  it("messages, presence and changes reach the connections to both", async () => {
    const here = await room(one);
    const { owner, viewer } = here.people;
    const channel = "participants:x";
    const [a, , b] = [...(await onBoth(here, owner)), await connect(two, here.slug, viewer)];
    assert.ok(a && b);
    same(await enter(a, channel), [here.users.owner]);
    same(await enter(b, channel), [here.users.owner, here.users.viewer]);
    are(await a.settled(), [join(channel, here.users.viewer)]);
    for (let each = 0; each < 20; each++) b.send({ type: "publish", channel, data: each });
    const said = Array.from({ length: 20 }, (_, each) =>
      message(channel, "", each, here.users.viewer, "viewer"),
    );
    for (const socket of [a, b]) are(await socket.take(20), said);
    for (const socket of [a, b])
      same(await socket.ask({ type: "watch", ...watched }), { type: "watching", ...watched });
    assert.equal((await kv(two, here, owner, "PUT")).status, 200);
    for (const socket of [a, b])
      same(await socket.next(), { type: "change", resource: "kv", key: "k", op: "set", value: 1 });
    await b.close();
    are([await a.next()], [leave(channel, here.users.viewer)]);
  });

  it("who loses access on one node gets no further frame on the other", async () => {
    for (let round = 0; round < 5; round++) {
      const canvas = await stage(one);
      const { owner, viewer } = canvas.people;
      const [says, [, hears]] = [await connect(one, canvas.slug, owner), await onBoth(canvas, viewer)];
      await enter(hears, "c");
      await share(one, canvas, "private", { editor: "editor" });
      for (let each = 0; each < 20; each++) says.send({ type: "publish", channel: "c", data: "secret" });
      const { code, frames } = await hears.end();
      assert.equal(code, 4401);
      are(frames, []);
      await says.close();
    }
  });

  it("a canvas has 30 connections on both nodes together, however they arrive", async () => {
    const canvas = await stage(one);
    const { viewer } = canvas.people;
    const sockets = await Promise.all(
      Array.from({ length: 40 }, (_, each) => connect(nodes[each % 2] as Target, canvas.slug, viewer)),
    );
    const outcomes = await Promise.all(
      sockets.map((socket) =>
        socket.settled().then(
          () => "open",
          () => socket.end().then(({ code }) => code),
        ),
      ),
    );
    assert.equal(outcomes.filter((each) => each === "open").length, 30);
    assert.equal(outcomes.filter((each) => each === 4429).length, 10);
    for (const socket of sockets) await socket.drop();
  });

  it("a person has one rate limit on both nodes", async () => {
    const canvas = await stage(one);
    const answers = await Promise.all(
      Array.from({ length: 80 }, (_, each) => kv(nodes[each % 2] as Target, canvas, canvas.people.viewer)),
    );
    assert.equal(answers.filter(({ status }) => status === 429).length, 30);
  });

  for (const [how, down, up] of [
    ["killed, and comes back empty", () => at.stop("SIGKILL"), () => at.start()],
    ["frozen, and goes on", async () => at.freeze(), async () => at.thaw()],
  ] as const) {
    it(`a bus that is ${how}: 503 in time, then resync, presence and the places are restored`, async () => {
      const here = await room(one);
      const { owner, viewer } = here.people;
      const [a, b] = await onBoth(here, owner);
      for (const socket of [a, b]) {
        await enter(socket, "c");
        await socket.ask({ type: "watch", ...watched });
        await socket.settled();
      }
      await down();
      for (const round of ["first", "later"]) {
        for (const node of nodes) {
          const started = performance.now();
          refused(await kv(node, here, owner), 503, "UNAVAILABLE");
          refused(await kv(node, here, owner, "PUT"), 503, "UNAVAILABLE");
          await assert.rejects(connect(node, here.slug, viewer), /503/, round);
          assert.ok(performance.now() - started < BOUND_MS, round);
          assert.equal((await send(node.base, { method: "GET", path: "/healthz" })).status, 200);
        }
      }
      await until(
        "it is told",
        async () => (await send(one.base, { method: "GET", path: "/readyz" })).status === 503,
      );
      await up();
      for (const socket of [a, b]) {
        const frames = [await socket.next(), await socket.next()];
        const expected = [{ type: "resync", ...watched }, presence("c", [here.users.owner])];
        // An empty bus may not know of the others yet, whose join follows.
        if (how.startsWith("killed")) same(frames[0], expected[0]);
        else are(frames, expected);
      }
      await until(
        "it is told",
        async () => (await send(two.base, { method: "GET", path: "/readyz" })).status === 200,
      );
      for (const socket of [a, b]) await socket.settled();
      assert.equal((await kv(two, here, owner, "PUT")).status, 200);
      for (const socket of [a, b])
        same(await socket.next(), { type: "change", resource: "kv", key: "k", op: "set", value: 1 });
      are([await a.ask({ type: "presence", channel: "c" })], [presence("c", [here.users.owner])]);
      // Two places are taken again, so 28 are left.
      const more = await Promise.all(Array.from({ length: 29 }, () => connect(two, here.slug, viewer)));
      const outcomes = await Promise.all(
        more.map((socket) =>
          socket.settled().then(
            () => "open",
            () => "full",
          ),
        ),
      );
      assert.equal(outcomes.filter((each) => each === "open").length, 28);
      for (const socket of [...more, a, b]) await socket.drop();
    });
  }
});
