import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readlinkSync } from "node:fs";
import os from "node:os";
import { describe, test } from "node:test";
import { until } from "@easel/conformance/patience";
import { newId } from "../../src/crypto/ids.ts";
import { Sealer, Signer } from "../../src/crypto/secrets.ts";
import { memory } from "../../src/drivers/bus/memory.ts";
import { keepLease, NodeLease } from "../../src/instance/lease.ts";
import { describeNode, joinNodes, keepNode, type Node } from "../../src/instance/nodes.ts";
import { onDatabases } from "../drivers/databases.ts";
import { Clock } from "../primitives/realtime/realtime-node.ts";
import { atEnd, ENGINES, type Scope, startService } from "../support/service.ts";

const key = (fill: number) => Buffer.alloc(32, fill);
const secret = (name: string) => name.repeat(32);

/** Describes a node with a lease of its own. Each has a bus that nodes can share, and the same keys. */
const newNode = (more: Partial<Node> = {}): Node => {
  const secrets = { signer: new Signer([secret("a")]), sealer: new Sealer([key(1)]) };
  return {
    ...describeNode(newId(), 3000, secrets, {
      sharedBus: true,
      blobsUrl: "file:/blobs",
      schema: "0043_nodes.sql",
    }),
    ...more,
  };
};
const signing = (...names: string[]) => newNode({ signingKeys: new Signer(names.map(secret)).keyIds });
const sealing = (...fills: number[]) => newNode({ encryptionKeys: new Sealer(fills.map(key)).keyIds });

await onDatabases(
  "nodes",
  (db, otherDb) => {
    const stored = async () =>
      (await db.all<{ id: string }>`select id from nodes order by started_at, id`).map(({ id }) => id);
    const join = (node: Node, to = db) => joinNodes(to, node, () => {});
    const leave = (...nodes: Node[]) =>
      Promise.all(nodes.map(({ id }) => db.run`delete from leases where id = ${id}`));

    /** Lets a node join that runs: it renews its lease all the time. */
    async function run(scope: Scope, node: Node) {
      await join(node);
      let isRunning = true;
      const renewals = (async () => {
        while (isRunning) await db.run(...keepLease(node.id));
      })();
      atEnd(scope, async () => {
        isRunning = false;
        await renewals;
        await leave(node);
      });
    }

    async function refused(node: Node, message: RegExp): Promise<void> {
      await assert.rejects(join(node, otherDb), (error: Error) => {
        assert.equal(error.constructor.name, "SetupError");
        assert.match(error.message, message);
        return true;
      });
      assert.ok(!(await stored()).includes(node.id));
    }

    test("nodes are counted, and each is stored until its lease ends", async () => {
      const [one, two] = [newNode(), newNode()];
      assert.equal((await join(one)).nodes, 1);
      assert.equal((await join(two, otherDb)).nodes, 2);
      assert.deepEqual((await stored()).sort(), [one.id, two.id].sort());
      await leave(one);
      assert.deepEqual(await stored(), [two.id]);
      await leave(two);
    });

    test("secrets are rotated on one node after the other, and other secrets are refused", async (t) => {
      const rotation = [["a"], ["a", "b"], ["b", "a"], ["b"]];
      for (const [index, secrets] of rotation.entries()) {
        await t.test(`beside ${secrets}`, async (t) => {
          await run(t, signing(...secrets));
          for (const beside of rotation.slice(Math.max(0, index - 1), index + 2)) {
            const node = signing(...beside);
            await join(node, otherDb);
            await leave(node);
          }
          const message = /SERVICE_SESSION_SECRET differs .* port 3000 .*old,new/;
          await refused(signing("c"), message);
          if (index === 0) await refused(signing("b", "a"), message);
          if (index === 3) await refused(signing("a", "b"), message);
        });
      }
    });

    test("other encryption keys are refused, also none beside one", async (t) => {
      await run(t, sealing(1));
      const added = sealing(1, 2);
      await join(added);
      await leave(added);
      for (const node of [sealing(), sealing(2), sealing(2, 1)])
        await refused(node, /SERVICE_ENCRYPTION_KEY/);
    });

    test("without encryption keys nodes run beside each other", async (t) => {
      await run(t, sealing());
      const node = sealing();
      assert.equal((await join(node)).nodes, 2);
      await leave(node);
    });

    for (const [what, own, other] of [
      ["here", false, true],
      ["there", true, false],
    ] as const)
      test(`a second node is refused if the bus is of one process: ${what}`, async (t) => {
        await run(t, newNode({ sharedBus: other }));
        await refused(newNode({ sharedBus: own }), /SERVICE_BUS_URL is `memory:` .* Redis or Valkey/);
      });

    test("a node that was killed elsewhere delays the start until its lease has expired", async () => {
      const [killed, next] = [
        newNode({ sharedBus: false, host: "elsewhere" }),
        newNode({ sharedBus: false }),
      ];
      await join(killed);
      await db.run(...keepLease(killed.id, 1_200));
      const said: string[] = [];
      assert.equal((await joinNodes(otherDb, next, (message) => said.push(message))).nodes, 1);
      assert.equal(said.length, 1);
      assert.match(said[0] ?? "", /waiting for up to 10 s.*SERVICE_BUS_URL/);
      await leave(killed, next);
    });

    test("a node with a bus of its own is waited for while it is live, if it may be about to stop", async () => {
      const [before, next] = [newNode({ sharedBus: false }), newNode({ sharedBus: false })];
      await join(before);
      let isOver = false;
      const renewals = (async () => {
        while (!isOver) await db.run(...keepLease(before.id));
      })();
      const said: string[] = [];
      const joined = joinNodes(otherDb, next, (message) => said.push(message), 60_000);
      await until("the next one waits", async () => said.length > 0);
      isOver = true;
      await renewals;
      await leave(before);
      assert.equal((await joined).nodes, 1);
      assert.match(said.join(), /^waiting for up to 60 s.*SERVICE_BUS_URL/);
      await leave(next);
    });

    test("a node whose process on this machine has ended is removed at once", async () => {
      const namespace = readlinkSync("/proc/self/ns/pid");
      const { pid } = spawnSync(process.execPath, ["--version"]);
      const killed = newNode({ sharedBus: false, process: `${namespace} ${pid}` });
      const hidden = newNode({ host: "elsewhere", process: `${namespace} ${pid}` });
      const contained = newNode({ process: `pid:[1] ${pid}` });
      for (const node of [killed]) await join(node);
      const next = newNode();
      assert.equal((await join(next, otherDb)).nodes, 1);
      assert.ok(!(await stored()).includes(killed.id));
      for (const node of [hidden, contained]) await join(node);
      const last = newNode();
      assert.equal(
        (await join(last)).nodes,
        4,
        "elsewhere, and in a container, the number means nothing here",
      );
      await leave(hidden, contained, next, last);
    });

    test("of two nodes with other secrets that start at the same moment, one joins", async () => {
      for (let round = 0; round < 5; round++) {
        const both = [signing("a"), signing("b")] as const;
        const first = await Promise.race(
          both.map((node, index) => join(node, index === 0 ? db : otherDb).then(() => node)),
        );
        assert.deepEqual(await stored(), [first.id]);
        // The other one waits, in case the first was killed. It joins when the first has left.
        await leave(first);
        const second = both.find((node) => node !== first) ?? assert.fail();
        await until("the other one has joined", async () => (await stored()).includes(second.id));
        await leave(second);
      }
    });

    test("blobs in files on two machines: a warning that names the other one", async () => {
      const [one, two] = [newNode({ host: "one" }), newNode({ host: "two" })];
      assert.deepEqual((await join(one)).warnings, []);
      const { warnings } = await join(two);
      assert.equal(warnings.length, 1);
      assert.match(warnings[0] ?? "", /node on one.*SERVICE_BLOBS_URL/);
      const s3 = [newNode({ host: "three", blobs: "s3:" }), newNode({ host: "three", blobs: "s3:" })];
      await leave(one, two);
      for (const node of s3) assert.deepEqual((await join(node)).warnings, []);
      await leave(...s3);
    });

    test("a renewal restores the row of a node that was away for so long that it was removed", async () => {
      const clock = new Clock();
      const warnings: string[] = [];
      const log = { warn: (_: object, message: string) => warnings.push(message) };
      const lease = new NodeLease({ db, bus: memory(), clock: () => clock.now() + Date.now(), log });
      const node = newNode({ id: lease.id });
      await join(node);
      lease.keepNode((skewMs) => keepNode(node, skewMs, 3));
      await lease.start();
      await leave(node);
      await until("the row is there", async () => {
        clock.pass(4_000);
        return (await stored()).includes(node.id);
      });
      await until("the difference of the clocks is stored", async () => {
        clock.pass(4_000);
        const row = await db.get<{ skew_ms: number }>`select skew_ms from nodes where id = ${node.id}`;
        return Number(row?.skew_ms) > 4_000;
      });
      assert.match(warnings[0] ?? "", /the clock of this node is \d+ ms ahead of that of the database/);
      await lease.stop();
      assert.deepEqual(await stored(), []);
    });
  },
  ["postgres"],
);

describe("nodes of services", () => {
  const postgres = ENGINES.find(({ name }) => name === "postgres");
  test("a service on PostgreSQL is a node until it stops; its keys are stored by their ids", {
    skip: postgres?.skip ?? true,
  }, async (t) => {
    const settings = {
      SERVICE_DATABASE_URL: (await postgres?.migratedDatabase(t)) ?? assert.fail(),
      SERVICE_SESSION_SECRET: secret("s"),
    };
    const { env, base } = await startService(t, settings);
    const rows = await env.db.all<Record<string, string | number>>`select * from nodes`;
    const [row, ...more] = rows;
    assert.equal(more.length, 0);
    assert.deepEqual(
      [row?.id, row?.version, row?.host, row?.port],
      [env.lease.id, "0.1.0", os.hostname(), Number(new URL(base).port)],
    );
    assert.doesNotMatch(JSON.stringify(rows), /sss/);
    assert.match(String(row?.signing_keys), /^[\w-]{8}$/);
    await t.test("another one with other keys does not start", async (t) => {
      let isOver = false;
      const renewals = (async () => {
        while (!isOver) await env.db.run(...keepLease(env.lease.id));
      })();
      const other = { ...settings, SERVICE_BLOBS_URL: env.config.blobsUrl };
      await assert.rejects(
        startService(t, { ...other, SERVICE_SESSION_SECRET: secret("t") }),
        /SERVICE_SESSION_SECRET differs/,
      );
      isOver = true;
      await renewals;
      await t.test("with the same keys it does", async (t) => {
        await startService(t, other);
        assert.equal((await env.db.all`select id from nodes`).length, 2);
      });
      assert.equal((await env.db.all`select id from nodes`).length, 1);
    });
  });

  test("a service on SQLite is no node: nothing is written while it is idle", async (t) => {
    const { env } = await startService(t);
    await until("the first sweep is over", () => env.lease.held.size === 0);
    assert.deepEqual(await env.db.all`select id from nodes`, []);
  });
});
