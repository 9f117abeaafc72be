import { existsSync } from "node:fs";
import path from "node:path";

/** The folder with the assets in a bundle of the service, beside its chunks. The files have the same paths in it as in the repository. */
const BUNDLED = path.join(import.meta.dirname, "assets");
const ROOT = existsSync(BUNDLED) ? BUNDLED : path.join(import.meta.dirname, "../../../..");

/** The files and folders that the service reads at run time, as paths in the repository. */
export const ASSETS = {
  docs: "docs",
  readme: "README.md",
  security: "SECURITY.md",
  examples: "examples",
  sdk: "packages/sdk/dist/v1.js",
  stylesheet: "packages/sdk/easel.css",
  dashboard: "packages/dashboard/dist",
  migrations: "packages/server/migrations",
  skill: "packages/server/src/agents/skill.md",
  llms: "packages/server/src/agents/llms.txt",
};

/** Returns the absolute path of an asset, in the repository or in a bundle of the service. */
export const assetPath = (name: keyof typeof ASSETS): string => path.join(ROOT, ASSETS[name]);
