import { devTarget, type Target } from "@easel/conformance/target";
import { ENGINES, type Scope, startService, temporaryDirectory } from "./service.ts";
import type { TestEnv } from "./test-env.ts";

/** A service of `startTwoNodes`. */
export interface TestNode {
  target: Target;
  env: TestEnv;
}

const [engine] = ENGINES.filter(({ name }) => name === "postgres");

/** The reason to skip tests of two nodes; false if PostgreSQL is installed. */
export const skipTwoNodes = engine?.skip ?? "there is no PostgreSQL";

/** Starts two services on one PostgreSQL database, each with a bus of its own: neither gets messages of the other. */
export async function startTwoNodes(scope: Scope): Promise<[TestNode, TestNode]> {
  const settings = {
    SERVICE_BLOBS_URL: `file:${await temporaryDirectory(scope)}`,
    SERVICE_DATABASE_URL: (await engine?.migratedDatabase(scope)) ?? "",
    SERVICE_SESSION_SECRET: "a secret that both nodes of the test have",
    SERVICE_RATELIMIT_ENABLED: "false",
  };
  const start = async () => {
    const { base, env } = await startService(scope, settings);
    return { target: devTarget(base, "path"), env };
  };
  const first = await start();
  // Nodes with buses of their own refuse each other.
  await first.env.db.run`delete from nodes`;
  return [first, await start()];
}
