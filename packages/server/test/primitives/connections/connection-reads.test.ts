import assert from "node:assert/strict";
import { before, beforeEach, it } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { until } from "@easel/conformance/patience";
import { govern } from "@easel/conformance/policy";
import type { Db } from "../../../src/drivers/db/db.ts";
import { freshProfile } from "../../organisation/connection-stores.ts";
import { onSqlite } from "../../support/engines.ts";
import { type Connected, connected, grant, putProfile } from "./connected.ts";
import { ScriptedOutbound } from "./scripted-outbound.ts";

const READS = new Set<PropertyKey>(["get", "getCached", "all", "head"]);

await onSqlite("what a call costs", (target, env) => {
  let canvas: Connected;
  let upstream: ScriptedOutbound;
  before(async () => {
    canvas = await connected(target);
    await govern(target, canvas, { connections: { [canvas.profile]: { audience: "viewers" } } });
  });
  beforeEach(() => {
    upstream = new ScriptedOutbound();
    env.outbound = upstream;
  });

  /** Returns the reads of a request: the least of three, because a timer of the service may read the database during one of them. */
  async function readsOf(request: string): Promise<number> {
    const counts: number[] = [];
    while (counts.length < 3) counts.push(await readsDuring(request));
    return Math.min(...counts);
  }

  /** Returns the number of reads of the database while a request is answered. */
  async function readsDuring(request: string): Promise<number> {
    const { db } = env;
    let reads = 0;
    env.db = new Proxy<Db>(db, {
      get(real, name) {
        if (READS.has(name)) reads++;
        return Reflect.get(real, name).bind(real);
      },
    });
    try {
      const answer = await canvas.pages.viewer.get(request);
      assert.equal(answer.status, 200, answer.text);
    } finally {
      env.db = db;
    }
    return reads;
  }

  it("a call takes at most three reads", async () => {
    upstream.onSend = ({ respond }) => respond("x");
    const call = `/connections/${canvas.profile}/x`;
    const reads = await readsOf(call);
    assert.ok(reads > 0 && reads <= 3, `${reads} reads`);
  });

  it("GET /me takes as many reads for 20 granted profiles as for one", async () => {
    const before = await readsOf("/me");
    for (let each = 0; each < 19; each++) {
      const profile = freshProfile();
      await putProfile(target, profile);
      await grant(target, { id: canvas.id, profile });
    }
    assert.equal(await readsOf("/me"), before);
  });

  it("a response is not kept in memory once it is sent", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const bodies: WeakRef<Buffer>[] = [];
    upstream.onSend = ({ respond }) => {
      const body = Buffer.alloc(100_000, 97);
      bodies.push(new WeakRef(body));
      respond(body);
    };
    for (let each = 0; each < 3; each++) {
      const { bytes } = await canvas.pages.viewer.get(`/connections/${canvas.profile}/x`);
      assert.equal(bytes.length, 100_000);
    }
    upstream.sent.splice(0);
    await until("the responses are collected", () => {
      collect();
      return bodies.every((each) => each.deref() === undefined);
    });
  });
});
