import type { Scope } from "./service.ts";

/** Runs a program that uses what tests use, and ends what it has started, also when it fails or is interrupted. */
export async function runScript(work: (scope: Scope) => Promise<unknown>): Promise<void> {
  const endings: (() => Promise<unknown>)[] = [];
  const end = async () => {
    for (const each of endings.splice(0).reverse()) await each();
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => void end().finally(() => process.exit(1)));
  try {
    await work({ after: (ending) => void endings.push(ending) });
  } finally {
    await end();
  }
}
