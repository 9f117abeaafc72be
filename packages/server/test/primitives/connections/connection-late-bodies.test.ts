import assert from "node:assert/strict";
import { beforeEach, it } from "node:test";
import { disable } from "@easel/conformance/admin";
import { amend, manage, share, turn } from "@easel/conformance/fixture";
import { publish } from "@easel/conformance/lifecycle";
import { govern } from "@easel/conformance/policy";
import type { Target } from "@easel/conformance/target";
import { holdBody } from "../../pipeline/held-body.ts";
import { onSqlite } from "../../support/engines.ts";
import { administer, type Connected, connected, grant, putProfile } from "./connected.ts";
import { ScriptedOutbound } from "./scripted-outbound.ts";

type Loss = (target: Target, canvas: Connected) => Promise<unknown>;

/** What a viewer loses while the body of the request is delayed: the function that takes it away, and the expected status and code. */
const LOSSES: Record<string, [loss: Loss, status: number, code?: string]> = {
  "access to the canvas": [(target, canvas) => share(target, canvas, "private", {}), 404, "OWNER_ONLY"],
  "the session": [
    async (target, { people }) => {
      const { sessions } = (await manage(target, people.viewer, "GET", "/api/sessions")).json;
      for (const { id } of sessions as { id: string }[])
        await manage(target, people.viewer, "DELETE", `/api/sessions/${id}`);
    },
    401,
  ],
  "the canvas": [disable, 403],
  "the backend": [
    (target, canvas) => turn(target, canvas, { backendEnabled: false }),
    403,
    "CAPABILITY_DISABLED",
  ],
  "the audience of the canvas": [
    (target, canvas) => turn(target, canvas, { connectionsAudience: "editors" }),
    403,
    "PERMISSION_DENIED",
  ],
  "the audience of the policy": [
    (target, canvas) =>
      govern(target, canvas, { connections: { [canvas.profile]: { audience: "editors" } } }),
    403,
    "PERMISSION_DENIED",
  ],
  "the method in the policy": [
    (target, canvas) =>
      govern(target, canvas, {
        connections: { [canvas.profile]: { audience: "viewers", methods: ["GET"] } },
      }),
    403,
    "PERMISSION_DENIED",
  ],
  "the grant": [
    (target, { id, profile }) => administer(target, "DELETE", `${profile}/grants/${id}`),
    404,
    "CONNECTION_NOT_GRANTED",
  ],
  "the profile": [
    (target, { profile }) => administer(target, "DELETE", profile),
    404,
    "CONNECTION_NOT_GRANTED",
  ],
  "the profile, disabled,": [
    (target, { profile }) => putProfile(target, profile, { enabled: false }),
    503,
    "CONNECTION_DISABLED",
  ],
  "the method in the profile": [
    (target, { profile }) => putProfile(target, profile, { methods: ["GET"] }),
    405,
    "METHOD_NOT_ALLOWED",
  ],
};

/** Like `LOSSES`, for a visitor of a Public link. */
const VISITORS_LOSSES: Record<string, [loss: Loss, status: number, code?: string]> = {
  "the public grant": [(target, canvas) => grant(target, canvas, false), 403, "STATIC_ONLY"],
  "the grant": [
    (target, { id, profile }) => administer(target, "DELETE", `${profile}/grants/${id}`),
    403,
    "STATIC_ONLY",
  ],
  "the Public link": [(target, canvas) => share(target, canvas, "private", {}), 401],
  "the audience": [
    (target, canvas) => turn(target, canvas, { connectionsAudience: "editors" }),
    403,
    "PERMISSION_DENIED",
  ],
  "access without a password": [(target, canvas) => amend(target, canvas, { password: "secret-word" }), 403],
};

await onSqlite("a body that is delayed while its sender loses", (target, env) => {
  let upstream: ScriptedOutbound;
  beforeEach(() => {
    upstream = new ScriptedOutbound();
    upstream.onSend = ({ respond }) => respond("done");
    env.outbound = upstream;
  });

  /** Sends the start of a request, runs `meanwhile`, and then sends the rest of the body. Returns the response. */
  async function late(canvas: Connected, who: "viewer" | "visitor", meanwhile: Loss) {
    const { people, profile, slug } = canvas;
    const person = who === "visitor" ? { ...people.owner, headers: [] } : people.viewer;
    const path = `/v1/c/${slug}/connections/${profile}/x`;
    const held = await holdBody(target, person, {
      method: "POST",
      path,
      body: Buffer.from("late"),
      type: "text/plain",
    });
    // The requests of a visitor take fewer reads than the one with the delayed body.
    for (let each = 0; each < 5; each++) await manage(target, people.owner, "GET", "/api/canvases?limit=1");
    await meanwhile(target, canvas);
    return held.finish();
  }

  async function opened(): Promise<Connected> {
    const canvas = await connected(target, { access: "public_link" });
    await publish(target, canvas, "home");
    await grant(target, canvas, true);
    return canvas;
  }

  it("nothing: it is sent, with the rest", async () => {
    const answer = await late(await connected(target), "viewer", async () => {});
    assert.deepEqual([answer.status, answer.text], [200, "done"]);
    assert.deepEqual(
      upstream.sent.map(({ request }) => String(request.body)),
      ["late"],
    );
  });

  for (const [what, [loss, status, code]] of Object.entries(LOSSES))
    it(`${what}: ${status}, and the upstream sees nothing`, async () => {
      const answer = await late(await connected(target), "viewer", loss);
      assert.deepEqual([answer.status, code && answer.json.code], [status, code], answer.text);
      assert.deepEqual(upstream.sent, []);
    });

  it("nothing, as a visitor of a Public link: it is sent", async () => {
    assert.equal((await late(await opened(), "visitor", async () => {})).status, 200);
    assert.equal(upstream.sent.length, 1);
  });

  for (const [what, [loss, status, code]] of Object.entries(VISITORS_LOSSES))
    it(`${what}, as a visitor of a Public link: ${status}, and the upstream sees nothing`, async () => {
      const answer = await late(await opened(), "visitor", loss);
      assert.deepEqual([answer.status, code && answer.json.code], [status, code], answer.text);
      assert.deepEqual(upstream.sent, []);
    });

  it("nothing, but the profile has changed: the new origin gets it", async () => {
    const canvas = await connected(target);
    await late(canvas, "viewer", () => putProfile(target, canvas.profile, { origin: "https://new.test" }));
    assert.deepEqual(
      upstream.sent.map(({ request }) => request.origin),
      ["https://new.test"],
    );
  });
});
