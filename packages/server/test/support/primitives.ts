import type { AddressInfo } from "node:net";
import type { Target } from "@easel/conformance/target";
import { createApp } from "../../src/app.ts";
import { type Answer, operation, type Primitive } from "../../src/primitives/primitive.ts";
import { startDev } from "./engines.ts";
import { atEnd, type Scope } from "./service.ts";
import type { TestEnv } from "./test-env.ts";

/** Returns a primitive of the capability `identity` with operations at paths below a canvas, which return what the functions return. */
export const primitiveWith = (
  answers: Record<string, () => Promise<Answer>>,
  more: Partial<Primitive> = {},
): Primitive => ({
  capability: "identity",
  title: "Probe",
  summary: "For a test.",
  operations: Object.entries(answers).map(([path, run]) =>
    operation({ name: `probe${path}`, method: "GET", path, summary: "For a test.", responses: {}, run }),
  ),
  ...more,
});

/** Starts a service with these primitives only (`target`), and one with all primitives on the same data (`whole`). */
export async function startWith(
  scope: Scope,
  primitives: Primitive[],
  settings: Record<string, string> = {},
): Promise<{ target: Target; whole: Target; env: TestEnv }> {
  const { target: whole, env } = await startDev(scope, settings);
  const app = await createApp(env, primitives);
  await app.listen({ host: "127.0.0.1", port: 0 });
  atEnd(scope, () => app.close());
  const { port } = app.server.address() as AddressInfo;
  return { target: { ...whole, base: `http://localhost:${port}` }, whole, env };
}
