import assert from "node:assert/strict";
import { test } from "node:test";
import fastify from "fastify";
import type { Env } from "../env.ts";
import { mountPublicText } from "./service-files.ts";

test("a text is printed once, at the first request; after a failure the next request tries again", async () => {
  const app = fastify();
  let prints = 0;
  mountPublicText(app, {} as Env, {
    path: "/text",
    type: "text/plain",
    async print() {
      if (++prints === 1) throw new Error("the file cannot be read");
      return "text";
    },
  });
  assert.equal(prints, 0);
  const get = async () => {
    const { statusCode, body } = await app.inject("/text");
    return [statusCode, statusCode === 200 && body];
  };
  assert.deepEqual(await get(), [500, false]);
  assert.deepEqual(
    [await get(), await get()],
    [
      [200, "text"],
      [200, "text"],
    ],
  );
  assert.equal(prints, 2);
});
