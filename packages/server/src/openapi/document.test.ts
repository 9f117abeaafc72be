import assert from "node:assert/strict";
import { test } from "node:test";
import { ERRORS } from "@easel/protocol/errors";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { baseOf } from "../config/addresses.ts";
import { readConfig } from "../config/config.ts";
import type { Env } from "../env.ts";
import { ACTS } from "../management/acts.ts";
import { primitives } from "../primitives/index.ts";
import { openApiOf } from "./document.ts";

const config = readConfig({ SERVICE_BASE_URL: "http://127.0.0.1:3000" });
const document = openApiOf({ config, base: baseOf(config, 3000) } as Env);

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    route: `${method.toUpperCase()} ${path}`,
    ...operation,
  })),
);
const routesBelow = (prefix: string) =>
  operations.flatMap(({ route }) => (route.split(" ")[1]?.startsWith(prefix) ? [route] : [])).sort();

test("every operation of the primitives is in the document, and nothing else below /v1", () => {
  const mounted = primitives.flatMap(({ operations: own }) =>
    own.map(({ method, path }) => `${method} /v1/c/{slug}${path}`),
  );
  assert.ok(mounted.length > 30);
  assert.deepEqual(routesBelow("/v1"), mounted.sort());
});

test("every act is in the document, and nothing else below /api", () => {
  assert.deepEqual(routesBelow("/api"), ACTS.map(({ method, path }) => `${method} ${path}`).sort());
});

test("the document is valid, and a strict linter finds nothing", async () => {
  const rules = {
    // `/kv/user/{key}` and `/kv/{key}/increment` overlap by contract: `user` is never a key.
    "no-ambiguous-paths": "off",
    // Public files and health checks have no error of their own.
    "operation-4xx-response": "off",
  } as const;
  const problems = await lintFromString({
    source: JSON.stringify(document),
    absoluteRef: "/openapi.json",
    config: await createConfig({ extends: ["recommended-strict"], rules }),
  });
  assert.deepEqual(
    problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]),
    [],
  );
});

test("summaries are sentences, and every group has operations", () => {
  for (const { route, summary } of operations) assert.match(summary, /^[A-Z].*\.$/, route);
  assert.deepEqual(
    new Set(operations.flatMap(({ tags }) => tags)),
    new Set(document.tags.map(({ name }) => name)),
  );
});

test("every error code belongs to an operation or is one of the service, and its table is complete", () => {
  const named = JSON.stringify(document.components.responses);
  // The one is an event of a stream, the other an answer of a tool.
  const elsewhere = ["AI_UPSTREAM_ERROR", "CONFIRMATION_REQUIRED"];
  for (const code of Object.keys(ERRORS))
    assert.ok(named.includes(`\`${code}\``) || elsewhere.includes(code), code);
});

test("requests reject unknown fields, and responses allow them", () => {
  const { schemas } = document.components;
  const create = document.paths["/api/canvases"]?.post?.requestBody?.content["application/json"]?.schema;
  assert.equal(create?.additionalProperties, false);
  assert.equal(schemas.Canvas?.additionalProperties, undefined);
  assert.ok(schemas.Canvas?.required?.includes("runtimePolicyRevision"));
});

test("query parameters have a meaning, and no default that only the service understands", () => {
  for (const { route, parameters = [] } of operations) {
    for (const each of parameters) {
      if ("$ref" in each) continue;
      assert.match(each.description ?? "", /^[A-Z`].*\.$/, `${route} ${each.name}`);
      assert.ok(each.name !== "cursor" || each.schema.default === undefined, route);
    }
  }
});

test("operations say which credentials they take", () => {
  const securityOf = (id: string) => operations.find(({ operationId }) => operationId === id)?.security;
  assert.deepEqual(document.security, [{ session: [] }, { token: [] }]);
  assert.deepEqual(securityOf("token.create"), [{ session: [] }]);
  assert.deepEqual(securityOf("service.health"), []);
  assert.equal(securityOf("kv.get"), undefined);
});
