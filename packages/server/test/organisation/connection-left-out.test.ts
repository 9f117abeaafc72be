import assert from "node:assert/strict";
import { test } from "node:test";
import { stage } from "@easel/conformance/fixture";
import { putGrant } from "../../src/organisation/connections/grants.ts";
import { putProfile } from "../../src/organisation/connections/profiles.ts";
import { startDev } from "../support/engines.ts";
import { startExternalApi } from "../support/external-api.ts";
import { MEMBERS } from "./connection-stores.ts";

test("when an API refuses a call, the log names the headers that it has not got, and no values", async (t) => {
  const api = await startExternalApi(t, ({ url }) => ({ status: Number(url?.slice(1)) }));
  const { target, env } = await startDev(t, api.settings);
  const { id, pages } = await stage(target, { switches: { connectionsAudience: "viewers" } });
  const profile = { name: "tickets", origin: api.origin, enabled: true, requestHeaders: ["x-own"] };
  await putProfile({ ...profile, methods: ["GET"] }, env);
  await putGrant("tickets", id, MEMBERS, env);
  const { mock } = t.mock.method(env.log, "info", () => {});
  const call = async (status: number, ...names: string[]) => {
    mock.resetCalls();
    const answer = await pages.owner.send(
      "GET",
      `/connections/tickets/${status}`,
      names.map((name) => [name, "a-value"] as const),
    );
    assert.equal(answer.status, status, answer.text);
    return mock.calls.map(({ arguments: [fields] }) => fields as unknown);
  };
  const line = (status: number, leftOut: string[]) => ({ canvas: id, profile: "tickets", status, leftOut });
  assert.deepEqual(await call(401, "X-Api-Key", "X-Own", "Sudo"), [line(401, ["x-api-key", "sudo"])]);
  assert.deepEqual(await call(403, "Proxy"), [line(403, ["proxy"])]);
  for (const [status, name] of [
    [401, "X-Own"],
    [200, "X-Api-Key"],
    [503, "X-Api-Key"],
    [401, "Cookie2"],
  ] as const)
    assert.deepEqual(await call(status, name), [], `${status} ${name}`);
});
