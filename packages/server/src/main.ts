import { enableCompileCache } from "node:module";

enableCompileCache();
const { ConfigError } = await import("./config.ts");
const { serve } = await import("./service.ts");

try {
  const service = await serve(process.env);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void service.stop());
} catch (error) {
  process.stderr.write(`${error instanceof ConfigError ? error.message : (error as Error).stack}\n`);
  process.exitCode = 1;
}
