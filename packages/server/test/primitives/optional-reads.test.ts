import assert from "node:assert/strict";
import { it } from "node:test";
import { stage } from "@easel/conformance/fixture";
import { collecting } from "@easel/conformance/policy";
import { answered, refused } from "@easel/conformance/refusal";
import { onSqlite } from "../support/engines.ts";

await onSqlite("reads of what may not exist", (target, env) => {
  const PATHS = ["/kv/none", "/kv/user/none", "/submissions/box/mine", "/collections/box/none"];

  it("`optional=true`: 200 that says so; without it 404, as specified, and no entry in the log for keys and submissions", async () => {
    const { pages } = await collecting(target, { box: { preset: "contributions" } });
    const logged: string[] = [];
    const stop = env.callLog.subscribe(({ route }) => logged.push(route));
    for (const path of PATHS) {
      answered(await pages.viewer.get(`${path}?optional=true`), { absent: true });
      for (const query of ["", "?optional=", "?optional=false", "?optional=1"])
        refused(await pages.viewer.get(path + query), 404, "NOT_FOUND");
    }
    stop();
    assert.deepEqual(new Set(logged), new Set(["/collections/box/{id}"]));
  });

  it("what exists is returned as without the parameter", async () => {
    const { pages } = await collecting(target, { box: { preset: "contributions" } });
    const { owner } = pages;
    await owner.put("/kv/a", { absent: true });
    await owner.put("/kv/user/a", false);
    await owner.put("/submissions/box/mine", null);
    const { id } = (await owner.post("/collections/box", null)).json;
    for (const path of ["/kv/a", "/kv/user/a", "/submissions/box/mine", `/collections/box/${id}`]) {
      const plain = await owner.get(path);
      assert.equal(plain.status, 200);
      answered(await owner.get(`${path}?optional=true`), plain.json);
    }
  });

  it("refusals stay refusals: a role, a policy, another canvas", async () => {
    const { pages } = await collecting(target, { box: { preset: "personal" } });
    const { id } = (await pages.owner.post("/collections/box", 1)).json;
    answered(await pages.viewer.get(`/collections/box/${id}?optional=true`), { absent: true });
    refused(await pages.viewer.get("/collections/none/a?optional=true"), 404, "COLLECTION_NOT_CONFIGURED");
    const closed = await stage(target, { switches: { backendEnabled: false } });
    refused(await closed.pages.owner.get("/kv/a?optional=true"), 403, "CAPABILITY_DISABLED");
  });
});
