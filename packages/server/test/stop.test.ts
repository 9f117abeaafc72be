import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import { test } from "node:test";
import { until } from "@easel/conformance/patience";
import { signIn, startProcess } from "./process.ts";
import { temporaryDirectory } from "./support.ts";

test("SIGTERM lets a request end, takes no more, and exits with 0", async (t) => {
  const directory = await temporaryDirectory(t);
  const { base, end } = await startProcess(t, directory);
  const headers = await signIn(base);
  const request = http.request(`${base}/v1/c/guestbook/kv/last`, {
    method: "PUT",
    headers: { ...headers, expect: "100-continue" },
  });
  request.flushHeaders();
  await once(request, "continue");
  request.write('"half of');

  const ended = end("SIGTERM");
  const answers = () =>
    fetch(`${base}/healthz`).then(
      () => true,
      () => false,
    );
  await until("it takes no more", async () => !(await answers()));
  request.end(' it"');
  const [answer] = (await once(request, "response")) as [http.IncomingMessage];
  assert.equal(answer.statusCode, 200);
  answer.resume();
  assert.equal(await ended, 0);

  const again = await startProcess(t, directory);
  const kept = await fetch(`${again.base}/v1/c/guestbook/kv/last`, { headers: await signIn(again.base) });
  assert.deepEqual(await kept.json(), { value: "half of it" });
});
