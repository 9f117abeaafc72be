import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { FORM_TYPE, formOf, upload } from "@easel/conformance/files/form";
import { stage } from "@easel/conformance/fixture";
import { start } from "@easel/conformance/http";
import { pageHeaders } from "@easel/conformance/page";
import { devTarget } from "@easel/conformance/target";
import { serve } from "../../../src/service.ts";
import { temporaryDirectory } from "../../support/service.ts";
import { staged, stored, untilStaged } from "./stored.ts";

test("a service that stops during an upload leaves no row, no blob and no staged file", async (t) => {
  const settings = {
    SERVICE_PORT: "0",
    SERVICE_HOST: "127.0.0.1",
    SERVICE_DATA_DIR: await temporaryDirectory(t),
    SERVICE_LOG_LEVEL: "error",
    SERVICE_RATELIMIT_ENABLED: "false",
  };
  const first = await serve(settings, { seed: async () => {} });
  await first.seeded;
  const target = devTarget(first.env.base.origin, "path");
  const canvas = await stage(target, { switches: { files: true } });
  assert.equal((await upload(canvas.pages.owner)).status, 201);
  const previous = await stored(first.env);

  const { headers } = canvas.people.owner;
  const request = start(
    target.base,
    {
      method: "POST",
      path: `/v1/c/${canvas.slug}/files`,
      headers: [...headers, ...pageHeaders(target, canvas.slug), ["Content-Type", FORM_TYPE]],
    },
    false,
  );
  const { promise: lost, resolve } = Promise.withResolvers<void>();
  request.on("error", () => resolve());
  // The clock is mocked, because a service that stops waits some time for pending requests.
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    request.write(formOf({}, { bytes: Buffer.alloc(1024 * 1024) }).subarray(0, -100));
    while ((await staged(first.env)).length === 0);
    let isStopped = false;
    const stopped = first.stop().then(() => {
      isStopped = true;
    });
    while (!isStopped) {
      mock.timers.tick(1_000);
      await new Promise(setImmediate);
    }
    await stopped;
  } finally {
    mock.timers.reset();
  }
  await lost;
  await untilStaged(first.env, 0);

  const second = await serve(settings, { seed: async () => {} });
  try {
    assert.deepEqual(await stored(second.env), previous);
  } finally {
    await second.stop();
  }
});
