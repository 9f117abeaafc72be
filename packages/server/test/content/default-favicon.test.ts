import assert from "node:assert/strict";
import { after, it } from "node:test";
import { stage } from "@easel/conformance/fixture";
import { send } from "@easel/conformance/http";
import { startDev } from "../support/engines.ts";
import { publish, visit } from "../support/publish.ts";

const { target } = await startDev({ after });

it("a canvas without a favicon has the mark of a canvas; its own one comes first", async () => {
  const canvas = await stage(target);
  const read = async (person = canvas.people.viewer) => {
    const { status, headers, text } = await visit(target, canvas.slug, person, "favicon.ico");
    return [status, headers["content-type"], text.slice(0, 4)];
  };
  await publish(target, canvas, { "index.html": "page", "404.html": "missing" });
  assert.deepEqual(await read(), [200, "image/svg+xml", "<svg"]);
  assert.equal((await read(canvas.people.stranger))[0], 404);
  await publish(target, canvas, { "index.html": "page", "favicon.ico": "mine" });
  const [status, , text] = await read();
  assert.deepEqual([status, text], [200, "mine"]);
});

it("the host of the service has the mark as well, for pages in path mode and for anonymous visitors", async () => {
  const { status, headers } = await send(target.base, { method: "GET", path: "/favicon.ico", headers: [] });
  assert.deepEqual([status, headers["content-type"]], [200, "image/svg+xml"]);
});
