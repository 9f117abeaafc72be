import assert from "node:assert/strict";
import { after, afterEach, describe, it } from "node:test";
import { until } from "@easel/conformance/patience";
import { enter } from "@easel/conformance/realtime/frame";
import { connect } from "@easel/conformance/realtime/socket";
import { CountedNode } from "./counted-node.ts";
import { type Node, startNode } from "./realtime-node.ts";
import type { Wire } from "./realtime-wire.ts";

const scope = { after };
const node = await CountedNode.start(scope);
const { target, env, counting, here, usual } = node;
const { owner, viewer } = here.people;
const dial: CountedNode["dial"] = (...to) => node.dial(...to);

afterEach(() => {
  counting.before = async () => {};
});

/** Ways in which a connection ends while a call of the bus is pending. */
const GOES: [name: string, end: (wire: Wire, node: Node) => Promise<unknown>][] = [
  [
    "the socket is dropped",
    async (wire) => {
      wire.drop();
      const third = await dial(viewer);
      await third.ask({ type: "presence", channel: "x" });
      third.drop();
    },
  ],
  [
    "the service stops",
    async (wire, { stop }) => {
      void stop();
      assert.equal((await wire.closing()).code, 1001);
      wire.drop();
    },
  ],
];

describe("a slow bus", () => {
  for (const [name, end] of GOES) {
    for (const what of ["hold", "subscribe", "join"] as const) {
      it(`${name} during \`${what}\`: nothing stays held, and no join is the last frame`, async () => {
        const other = await startNode(scope, env, { bus: counting.bus });
        const witness = await connect(target, here.slug, viewer);
        await enter(witness, "a");
        const said = counting.said.length;
        const passed = Promise.withResolvers<void>();
        const reached = Promise.withResolvers<void>();
        counting.before = (asked) => {
          if (asked !== what) return Promise.resolve();
          counting.before = async () => {};
          reached.resolve();
          return passed.promise;
        };
        const channel = what === "subscribe" ? "c" : "a";
        const wire = await dial(owner, other.target.base);
        wire.send({ type: "subscribe", channel });
        await reached.promise;
        await end(wire, other);
        passed.resolve();
        await other.stop();
        await until("everything is given back", () => counting.held.size === usual + 3);
        const told = () => {
          const those = counting.said.slice(said).filter((each) => each.includes(` ${channel}: P`));
          return those.map((each) => /"type":"(\w+)"/.exec(each)?.[1]);
        };
        await until("a join is not the last frame", () => [undefined, "leave"].includes(told().at(-1)));
        await witness.settled();
        const { users } = await witness.ask({ type: "presence", channel });
        assert.equal((users as unknown[]).length, what === "subscribe" ? 0 : 1);
        await witness.close();
        await node.emptied();
      });
    }
  }
});

it("a node that stops waits for the publishing of its leave frames", async () => {
  const other = await startNode(scope, env, { bus: counting.bus });
  const witness = await connect(target, here.slug, viewer);
  await enter(witness, "a");
  const wire = await dial(owner, other.target.base);
  await node.settle(wire);
  assert.equal((await witness.next()).type, "join");
  const passed = Promise.withResolvers<void>();
  counting.before = (asked) => (asked === "publish" ? passed.promise : Promise.resolve());
  // In 1.5 seconds. After two seconds the node would stop without waiting any longer.
  const patience = performance.now() + 1_500;
  let isEarly = false;
  const stopped = other.stop().then(() => {
    isEarly = performance.now() < patience;
  });
  assert.equal((await wire.closing()).code, 1001);
  wire.drop();
  for (let trip = 0; trip < 20; trip++) await witness.settled();
  assert.equal(isEarly, false);
  passed.resolve();
  await stopped;
  assert.equal((await witness.next()).type, "leave");
  await witness.close();
  await node.emptied();
});

describe("a bus that fails", () => {
  const fails = (what: string) => {
    counting.before = async (asked) => {
      if (asked === what) throw new Error("the bus is away");
    };
  };

  for (const what of ["hold", "subscribe", "join"] as const) {
    it(`\`${what}\`: 1011, and nothing stays held`, async () => {
      fails(what);
      const wire = await dial();
      wire.send({ type: "subscribe", channel: "a" });
      const { code } = await wire.closing();
      assert.equal(code, 1011);
      wire.drop();
      await node.emptied();
    });
  }

  it("`publish`: 1011 for the publisher, nothing for subscribers", async () => {
    const [says, hears] = [await dial(), await connect(target, here.slug, viewer)];
    await enter(hears, "a");
    fails("publish");
    says.send({ type: "publish", channel: "a" });
    assert.deepEqual(await says.closing(), { code: 1011, texts: [] });
    says.drop();
    assert.deepEqual(await hears.settled(), []);
    counting.before = async () => {};
    await hears.close();
    await node.emptied();
  });

  it("`publish` at the end of a connection: what it held on the bus is released nevertheless", async () => {
    const wire = await dial();
    await node.settle(wire);
    fails("publish");
    wire.drop();
    await node.emptied();
  });
});
