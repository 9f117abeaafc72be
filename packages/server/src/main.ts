import { existsSync } from "node:fs";
import { enableCompileCache } from "node:module";

enableCompileCache();
if (existsSync(".env")) process.loadEnvFile();
const { ConfigError } = await import("./config.ts");
const { serve } = await import("./service.ts");

try {
  const service = await serve(process.env);
  const { base, config } = service.env;
  process.stdout.write(
    `Easel at ${base.origin} (sign-in: ${config.authMode}, canvases by ${config.urlMode})\n`,
  );
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void service.stop());
} catch (error) {
  process.stderr.write(`${error instanceof ConfigError ? error.message : (error as Error).stack}\n`);
  process.exitCode = 1;
}
