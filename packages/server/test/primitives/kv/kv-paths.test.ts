import assert from "node:assert/strict";
import { after, test } from "node:test";
import { signIn } from "../../support/process.ts";
import { startExample } from "../../support/service.ts";

const { base } = await startExample({ after }, "guestbook");
const headers = await signIn(base);
const kv = `${base}/v1/c/guestbook/kv`;

const rows: [method: string, path: string, status: number, code: string][] = [
  ["GET", "/", 404, "NOT_FOUND"],
  ["PUT", "/", 404, "NOT_FOUND"],
  ["DELETE", "/", 404, "NOT_FOUND"],
  ["POST", "//increment", 404, "NOT_FOUND"],
  ["PUT", "/user/", 404, "NOT_FOUND"],
  ["POST", "/user//increment", 404, "NOT_FOUND"],
  ["PUT", "/user", 405, "METHOD_NOT_ALLOWED"],
  ["POST", "/user/increment", 405, "METHOD_NOT_ALLOWED"],
  ["PUT", "/a/b", 404, "NOT_FOUND"],
];

for (const [method, path, status, code] of rows) {
  test(`${method} /kv${path}: ${status} ${code}, and nothing is stored`, async () => {
    const body = method === "GET" ? null : "1";
    const answer = await fetch(kv + path, { method, headers, body });
    assert.deepEqual([answer.status, ((await answer.json()) as { code: string }).code], [status, code]);
    for (const scope of [kv, `${kv}/user`]) {
      const list = await fetch(scope, { headers });
      assert.deepEqual(await list.json(), { entries: [], nextCursor: null });
    }
  });
}
