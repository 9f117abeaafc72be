import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { stage, turn } from "@easel/conformance/fixture";
import { type Answer, send } from "@easel/conformance/http";
import { disabled, refused } from "@easel/conformance/refusal";
import type { Identity } from "@easel/protocol/types";
import type { UnavailableReason } from "../../src/access/capability-gate.ts";
import { identity } from "../../src/primitives/identity/routes.ts";
import type { Primitive } from "../../src/primitives/primitive.ts";
import { withBody } from "../../src/primitives/with-body.ts";
import { holdBody } from "../pipeline/held-body.ts";
import { startWith } from "../support/primitives.ts";

/**
 * Why the primitive `connections` of this test is unavailable; null: it is available. `asked` lists the canvases for which this was
 * checked.
 */
let state: UnavailableReason | null = null;
const asked: string[] = [];
let runs = 0;

const connections: Primitive = {
  capability: "connections",
  async available({ id }) {
    asked.push(id);
    return state;
  },
  routes: {
    "/connections/:profile": {
      GET: async () => '{"ok":true}',
      POST: withBody({
        may: () => null,
        read: async ({ request }) => Buffer.concat(await request.toArray()),
        async run() {
          runs++;
          return '{"ok":true}';
        },
      }),
    },
  },
};

const { target, whole } = await startWith({ after }, [identity, connections]);
const canvas = await stage(whole);
const { headers } = canvas.people.owner;
const get = (path: string): Promise<Answer> =>
  send(target.base, { method: "GET", path: `/v1/c/${canvas.slug}${path}`, headers });
const mayUse = async () => {
  const { permissions } = (await get("/me")).json as unknown as Identity;
  return permissions.canUseConnections;
};

describe("the capability gate checks the live state that a primitive declares", () => {
  for (const [found, status, code] of [
    ["CONNECTION_NOT_GRANTED", 404, "CONNECTION_NOT_GRANTED"],
    ["CONNECTION_DISABLED", 503, "CONNECTION_DISABLED"],
    ["CONNECTION_KEY_UNAVAILABLE", 503, "CONNECTION_KEY_UNAVAILABLE"],
    ["operator_disabled", 403, "CAPABILITY_DISABLED"],
  ] as const) {
    it(`${found}: ${status} ${code}, and \`me\` says so`, async () => {
      state = found;
      const answer = await get("/connections/weather");
      refused(answer, status, code);
      if (code === "CAPABILITY_DISABLED") {
        const { capability, backendEnabled, reason, hint } = answer.json;
        assert.deepEqual([capability, backendEnabled, reason], ["connections", true, found]);
        assert.ok(typeof hint === "string" && hint !== "");
      }
      assert.equal(await mayUse(), false);
    });
  }

  it("available: 200, and `me` says so; checked for each request with its canvas", async () => {
    state = null;
    const before = asked.length;
    assert.equal((await get("/connections/weather")).status, 200);
    assert.equal(await mayUse(), true);
    assert.deepEqual(asked.slice(before), [canvas.id, canvas.id]);
  });

  it("the switches come first: with the backend off it is not checked", async () => {
    await turn(whole, canvas, { backendEnabled: false });
    state = "CONNECTION_NOT_GRANTED";
    const before = asked.length;
    disabled(await get("/connections/weather"), "connections", "backend_off");
    assert.equal(asked.length, before);
    await turn(whole, canvas, { backendEnabled: true });
  });

  it("it is checked again after a delayed body", async () => {
    state = null;
    const held = await holdBody(target, canvas.people.owner, {
      method: "POST",
      path: `/v1/c/${canvas.slug}/connections/weather`,
      body: Buffer.from("12"),
      type: "text/plain",
    });
    const admitted = asked.length;
    state = "CONNECTION_NOT_GRANTED";
    refused(await held.finish(), 404, "CONNECTION_NOT_GRANTED");
    assert.deepEqual([asked.length, runs], [admitted + 1, 0]);
  });

  it("without a primitive for Connections nobody may use them", async () => {
    const { json } = await send(whole.base, { method: "GET", path: `/v1/c/${canvas.slug}/me`, headers });
    assert.equal((json as unknown as Identity).permissions.canUseConnections, false);
  });
});
