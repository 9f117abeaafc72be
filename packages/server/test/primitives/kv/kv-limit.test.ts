import assert from "node:assert/strict";
import { after, test } from "node:test";
import { stage } from "@easel/conformance/fixture";
import { answered, refused } from "@easel/conformance/refusal";
import { LIMITS } from "@easel/protocol/limits";
import { startDev } from "../../support/engines.ts";

const { target, env } = await startDev({ after });

test("the shared scope has 10,000 keys at most", async () => {
  assert.equal(LIMITS.kvKeysShared.value, 10_000);
  const { id, pages } = await stage(target);
  // The keys are inserted with SQL, because as many requests would take most of the time of this area.
  const keys = LIMITS.kvKeysShared.value - 1;
  await env.db.run`
    insert into kv (canvas_id, scope, key, number)
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${keys})
    select ${id}, '', cast('filled ' || n as blob), n from numbers`;
  await env.db.run`insert into kv_scopes (canvas_id, scope, keys) values (${id}, '', ${keys})`;

  answered(await pages.editor.put("/kv/last", 1), { ok: true });
  refused(await pages.editor.put("/kv/new", 1), 409, "KEY_LIMIT");
  refused(await pages.editor.post("/kv/new/increment", {}), 409, "KEY_LIMIT");
  answered(await pages.editor.put("/kv/last", 2), { ok: true });
  answered(await pages.editor.put("/kv/user/new", 1), { ok: true });
  answered(await pages.editor.delete("/kv/last"), { ok: true });
  answered(await pages.editor.post("/kv/new/increment", {}), { value: 1 });
});
