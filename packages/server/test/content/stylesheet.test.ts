import assert from "node:assert/strict";
import { after, test } from "node:test";
import { send } from "@easel/conformance/http";
import { startDev } from "../support/engines.ts";

const services = {
  path: await startDev({ after }),
  subdomain: await startDev({ after }, { SERVICE_URL_MODE: "subdomain" }),
};
const canvasHost = services.subdomain.env.base.canvasUrl("some-canvas").split("/")[2] ?? "";

/** The hosts of the stylesheet. Null is the base host. */
const HOSTS = [
  ["the base host in path mode", services.path, null],
  ["the base host in subdomain mode", services.subdomain, null],
  ["the host of a canvas that does not exist", services.subdomain, canvasHost],
] as const;

for (const [name, { target }, host] of HOSTS) {
  const get = (path: string) => send(target.base, { method: "GET", path, ...(host !== null && { host }) });

  test(`the stylesheet on ${name}: without sign-in, for an hour, and its version for a year`, async () => {
    const { status, headers, text } = await get("/sdk/easel.css");
    assert.deepEqual([status, headers["content-type"]], [200, "text/css; charset=utf-8"]);
    assert.equal(headers["cache-control"], "public, max-age=3600");
    assert.equal(headers["set-cookie"], undefined);
    const version = await get(String(headers["content-location"]));
    assert.deepEqual([version.status, version.text], [200, text]);
    assert.equal(version.headers["cache-control"], "public, max-age=31536000, immutable");
  });

  test(`the name of another version redirects to the stylesheet on ${name}`, async () => {
    const { status, headers } = await get("/sdk/easel-0123456789ab.css");
    assert.deepEqual([status, headers.location], [302, "/sdk/easel.css"]);
    assert.notEqual((await get("/sdk/easel-other.css")).status, 302);
  });
}
