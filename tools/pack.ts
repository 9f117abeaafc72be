import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";

/*
 * Packs what is published into a folder, by default the one beside the checkout: `node tools/pack.ts all|server [FOLDER]`. The package of the service is built
 * with the files that it serves; the others build themselves when they are packed.
 */
const [, , which = "all", folder = ".."] = process.argv;
const npm = (...args: string[]) =>
  execFileSync("npm", args, { stdio: "inherit", shell: process.platform === "win32" });
const LIBRARIES = ["@easel/cli", "@easel/sdk", "@easel/react"].flatMap((name) => ["--workspace", name]);

mkdirSync(folder, { recursive: true });
npm("run", "--silent", "build:service");
npm("run", "--silent", "build", "--workspace", "@easel/server");
npm("pack", "--silent", "--pack-destination", folder, "./packages/server/dist");
if (which === "all") npm("pack", "--silent", "--pack-destination", folder, ...LIBRARIES);
