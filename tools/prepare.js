import { execSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

/*
 * Builds what a checkout needs after `npm ci`: the files that the service serves, and the command line. After `npm ci --omit=dev` the command
 * line is left out, because its libraries are not installed. The file is plain JavaScript, because the machine's own Node may run it.
 */
const run = (command, stdout = "inherit") => execSync(command, { stdio: ["inherit", stdout, "inherit"] });

// npm 10 removes the link to the Node of this computer together with those of other platforms.
const { optionalDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
const node = Object.keys(optionalDependencies).find((name) => existsSync(`node_modules/${name}`));
if (node !== undefined && !existsSync("node_modules/.bin/node"))
  run(`npm rebuild --ignore-scripts ${node}`, "ignore");

if (existsSync("node_modules/typescript")) {
  run("npm run --silent build:types --workspace @easel/cli");
  run("npm run --silent build");
} else run("npm run --silent build:service");
