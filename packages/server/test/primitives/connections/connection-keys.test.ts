import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { beforeEach, it } from "node:test";
import { refused } from "@easel/conformance/refusal";
import { Sealer } from "../../../src/crypto/secrets.ts";
import { onSqlite } from "../../support/engines.ts";
import { type Connected, connected, putProfile } from "./connected.ts";
import { ScriptedOutbound } from "./scripted-outbound.ts";

await onSqlite("calls whose protected headers no key opens", (target, env) => {
  const key = randomBytes(32);
  const other = randomBytes(32);
  let canvas: Connected;
  let upstream: ScriptedOutbound;
  beforeEach(async () => {
    upstream = new ScriptedOutbound();
    upstream.onSend = ({ respond }) => respond("x");
    Object.assign(env, { outbound: upstream, sealer: new Sealer([key]) });
    canvas = await connected(target);
    await putProfile(target, canvas.profile, { methods: ["GET"], headers: { "X-Key": "protected" } });
  });
  const ask = (method = "GET", rest = "") =>
    canvas.pages.viewer.send(method, `/connections/${canvas.profile}/${rest}`);

  for (const [what, keys] of [
    ["another key", [other]],
    ["no key", []],
  ] as const)
    it(`${what}: 503 CONNECTION_KEY_UNAVAILABLE, before the methods of the profile and the limits`, async () => {
      env.sealer = new Sealer([...keys]);
      for (const answer of [await ask(), await ask("POST"), await ask("GET", "x".repeat(8_193))])
        refused(answer, 503, "CONNECTION_KEY_UNAVAILABLE");
      const { json } = await canvas.pages.viewer.get("/me");
      const { connections } = json.resources as { connections: object };
      assert.deepEqual(connections, { [canvas.profile]: { invoke: false, methods: [] } });
      assert.equal(upstream.sent.length, 0);
    });

  it("a disabled profile: 503 CONNECTION_DISABLED, whatever the key", async () => {
    await putProfile(target, canvas.profile, { enabled: false });
    env.sealer = new Sealer([other]);
    refused(await ask(), 503, "CONNECTION_DISABLED");
    assert.equal(upstream.sent.length, 0);
  });

  it("the key as the second of two: the upstream gets the headers", async () => {
    env.sealer = new Sealer([other, key]);
    assert.equal((await ask()).status, 200);
    const [sent] = upstream.sent;
    assert.deepEqual(sent?.request.headers.at(-1), ["x-key", "protected"]);
    assert.equal(upstream.sent.length, 1);
  });
});
