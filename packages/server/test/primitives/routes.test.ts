import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { stage, turn } from "@easel/conformance/fixture";
import { type Header, send } from "@easel/conformance/http";
import { disabled, refused } from "@easel/conformance/refusal";
import type { Primitive, UpgradeCall, Upgrader } from "../../src/primitives/primitive.ts";
import { primitiveWith, startWith } from "../support/primitives.ts";
import { dial } from "../support/wire.ts";

const ok = async () => '{"ok":true}';

describe("the rate class of a primitive", () => {
  it("is its field, independent of its paths", async (t) => {
    const limits = {
      SERVICE_RATELIMIT_ENABLED: "on",
      SERVICE_RATELIMIT_AI_PER_MIN: "2",
      SERVICE_RATELIMIT_CANVAS_API_PER_MIN: "9",
    };
    const metered = primitiveWith({ "/metered": ok }, { rateClass: "ai" });
    const plain = primitiveWith({ "/aid": ok });
    const { target, whole } = await startWith(t, [metered, plain], limits);
    const { slug, people } = await stage(whole);
    const { headers } = people.viewer;
    const limitOf = async (path: string) => {
      const answer = await send(target.base, { method: "GET", path: `/v1/c/${slug}${path}`, headers });
      return [answer.status, answer.headers["x-ratelimit-limit"]];
    };
    assert.deepEqual(await limitOf("/aid"), [200, "9"]);
    for (const status of [200, 200, 429]) assert.deepEqual(await limitOf("/metered"), [status, "2"]);
    assert.deepEqual(await limitOf("/aid"), [200, "9"]);
  });
});

describe("a path without operations", () => {
  it("is 404 for every method, and counts in the class of its primitive", async (t) => {
    const primitive = primitiveWith({}, { capability: "ai", rateClass: "ai", reserved: ["/rest/{path}"] });
    const { target, whole } = await startWith(t, [primitive], {
      SERVICE_RATELIMIT_ENABLED: "on",
      SERVICE_RATELIMIT_AI_PER_MIN: "7",
    });
    const { slug, people } = await stage(whole);
    const { headers } = people.viewer;
    for (const method of ["GET", "POST"]) {
      const answer = await send(target.base, { method, path: `/v1/c/${slug}/rest/a/b`, headers });
      refused(answer, 404, "NOT_FOUND");
      assert.equal(answer.headers["x-ratelimit-limit"], "7");
    }
  });
});

/** Responds to an upgrade with a few bytes. */
class Greeter implements Upgrader {
  readonly calls: UpgradeCall[] = [];
  readonly log: string[] = [];
  accept(call: UpgradeCall): void {
    this.calls.push(call);
    call.takeSocket().socket.end("HTTP/1.1 101 Switching Protocols\r\n\r\nhello");
  }
  async start() {
    this.log.push("start");
  }
  async close() {
    this.log.push("close");
  }
}

/** Returns a primitive whose only operation takes upgrades. */
function greeting(upgrade: () => Upgrader): Primitive {
  const { operations, ...primitive } = primitiveWith({ "/greeting": ok }, { capability: "realtime" });
  return { ...primitive, operations: operations.map((each) => ({ ...each, upgrade })) };
}

describe("an operation that takes upgrades", () => {
  const UPGRADE: Header[] = [
    ["Connection", "Upgrade"],
    ["Upgrade", "websocket"],
  ];

  it("gets the socket of an admitted caller and the recheck of access; rejected upgrades are HTTP responses", async (t) => {
    const greeter = new Greeter();
    const { target, whole, env } = await startWith(t, [greeting(() => greeter)]);
    assert.deepEqual(greeter.log, ["start"]);
    const canvas = await stage(whole, { switches: { realtime: false } });
    const { slug, people } = canvas;
    const path = `/v1/c/${slug}/greeting`;
    const upgrade = async (headers: Header[], at = path) => {
      const socket = await dial(target.base);
      const lines = [["Host", new URL(target.base).host], ...headers, ...UPGRADE] as Header[];
      socket.write(`GET ${at} HTTP/1.1\r\n${lines.map((line) => `${line.join(": ")}\r\n`).join("")}\r\n`);
      const chunks: Buffer[] = [];
      for await (const chunk of socket) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks).toString();
    };

    assert.match(await upgrade([]), /^HTTP\/1.1 401 /);
    assert.match(await upgrade(people.stranger.headers), /^HTTP\/1.1 404 /);
    const foreign: Header = ["Origin", "http://elsewhere.example"];
    assert.match(await upgrade([...people.viewer.headers, foreign]), /^HTTP\/1.1 403 /);
    assert.equal(greeter.calls.length, 0);

    const spelled = path.replace("greeting", "%67reeting");
    const own: Header = ["Origin", env.base.origin];
    assert.match(await upgrade([...people.viewer.headers, own], spelled), /^HTTP\/1.1 101 .*hello$/s);
    const [call] = greeter.calls;
    assert.deepEqual([call?.user.email, call?.canvas.slug], [people.viewer.email, slug]);
    // The upgrade itself does not check whether the capability is on. Only `readmit` does, so that the route can report it in its own way.
    await assert.rejects(async () => call?.readmit(), { code: "CAPABILITY_DISABLED" });
    await turn(whole, canvas, { realtime: true });
    assert.equal((await call?.readmit())?.role, "viewer");

    const { headers } = people.viewer;
    assert.equal((await send(target.base, { method: "GET", path, headers })).status, 200);
    await turn(whole, canvas, { realtime: false });
    disabled(await send(target.base, { method: "GET", path, headers }), "realtime", "feature_off");
  });

  it("is closed when the service stops", async () => {
    const greeter = new Greeter();
    const endings: (() => Promise<unknown>)[] = [];
    await startWith({ after: (end) => void endings.push(end) }, [greeting(() => greeter)]);
    for (const end of endings) await end();
    assert.deepEqual(greeter.log, ["start", "close"]);
  });
});
