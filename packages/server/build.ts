import { chmod, copyFile, cp, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { bundle } from "../../tools/bundle.ts";
import manifest from "./package.json" with { type: "json" };

/*
 * Builds the package `@easel/server` as it is published, in the folder `dist`: the service in one bundle, without dependencies. The package
 * of the workspace stays private, because its sources are TypeScript, which Node does not load from `node_modules`. The argument is another folder.
 */
const [, , DIST = path.join(import.meta.dirname, "dist")] = process.argv;
const PROGRAM = "easel-server";

await bundle(DIST, {
  name: PROGRAM,
  source: path.join(import.meta.dirname, "start.js"),
  target: "node24",
  external: Object.keys(manifest.peerDependencies),
});
await chmod(path.join(DIST, `${PROGRAM}.js`), 0o755);
for (const file of ["README.md", "../../LICENSE"])
  await copyFile(path.join(import.meta.dirname, file), path.join(DIST, path.basename(file)));
// The files for units, proxies and images, so that an installation needs no checkout.
await rm(path.join(DIST, "deploy"), { recursive: true, force: true });
await cp(path.join(import.meta.dirname, "../../deploy"), path.join(DIST, "deploy"), { recursive: true });

const {
  name,
  version,
  description,
  keywords,
  license,
  type,
  engines,
  peerDependencies,
  peerDependenciesMeta,
} = manifest;
const published = {
  name,
  version,
  description,
  keywords,
  license,
  type,
  bin: { [PROGRAM]: `${PROGRAM}.js` },
  engines,
  peerDependencies,
  peerDependenciesMeta,
};
await writeFile(path.join(DIST, "package.json"), `${JSON.stringify(published, null, 2)}\n`);
