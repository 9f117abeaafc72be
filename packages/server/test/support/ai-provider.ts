import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import type { Received } from "@easel/conformance/ai/provider";
import { PATIENCE_MS } from "@easel/conformance/patience";
import { atEnd, type Scope } from "./service.ts";

const PROGRAM = createRequire(import.meta.url).resolve("@easel/conformance/ai/provider");

/** A stand-in for an AI provider, in a process of its own. */
export interface AiProvider {
  /** The environment variables of a service that uses the provider. */
  settings: Record<string, string>;
  /** Returns the requests with this mark that the provider has received. */
  log(mark: string): Promise<Received[]>;
}

/** Starts a stand-in for a provider, and ends its process when the scope ends. */
export async function startAiProvider(
  scope: Scope,
  wire: "anthropic" | "openai" = "anthropic",
): Promise<AiProvider> {
  const child = spawn(process.execPath, [PROGRAM], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  atEnd(scope, () => {
    child.kill("SIGKILL");
    return exited;
  });
  const [line] = await once(child.stdout, "data", { signal: AbortSignal.timeout(PATIENCE_MS) });
  const url = String(line).trim();
  return {
    settings: { SERVICE_AI_PROVIDER: wire, SERVICE_AI_API_KEY: "key-of-the-tests", SERVICE_AI_BASE_URL: url },
    log: async (mark) => {
      const response = await fetch(`${url}/log?mark=${encodeURIComponent(mark)}`);
      return (await response.json()) as Received[];
    },
  };
}
