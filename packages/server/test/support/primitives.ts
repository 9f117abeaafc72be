import type { AddressInfo } from "node:net";
import type { Target } from "@easel/conformance/target";
import { createApp } from "../../src/app.ts";
import type { Env } from "../../src/env.ts";
import type { Primitive } from "../../src/primitives/primitive.ts";
import { startDev } from "./engines.ts";
import { atEnd, type Scope } from "./service.ts";

/** Starts a service with these primitives only (`target`), and one with all primitives on the same data (`whole`). */
export async function startWith(
  scope: Scope,
  primitives: Primitive[],
  settings: Record<string, string> = {},
): Promise<{ target: Target; whole: Target; env: Env }> {
  const { target: whole, env } = await startDev(scope, settings);
  const app = await createApp(env, primitives);
  await app.listen({ host: "127.0.0.1", port: 0 });
  atEnd(scope, () => app.close());
  const { port } = app.server.address() as AddressInfo;
  return { target: { ...whole, base: `http://localhost:${port}` }, whole, env };
}
