import { spawn } from "node:child_process";
import { once } from "node:events";
import { filesOf } from "./areas.ts";
import { installServer } from "./support/installed-server.ts";
import { INSTALLED } from "./support/process.ts";
import { runScript } from "./support/script.ts";

/*
 * Builds, packs and installs `@easel/server`, and runs the suites that can test a service in another process against it: `npm run
 * conformance:tarball`. `EASEL_TEST_NODE` is the path of another Node for the service. The arguments are other
 * test files.
 */

const TESTS = "packages/server/test";
const SUITES = [
  `${TESTS}/service/{start,stop}.test.ts`,
  `${TESTS}/sign-in/{oidc-outage,oidc-person,oidc-token,sign-in-page}.test.ts`,
  `${TESTS}/instance/{jobs,worker-processes}.test.ts`,
  `${TESTS}/primitives/**/*-{crash,secrets}.test.ts`,
  `${TESTS}/conformance/*.test.ts`,
];

await runScript(async (scope) => {
  const { program } = await installServer(scope);
  const given = process.argv.slice(2);
  const files = given.length > 0 ? given : filesOf(SUITES);
  const options = [`--import=./${TESTS}/support/untracked-promises.ts`, "--test", "--test-concurrency=1"];
  const setup = `--test-global-setup=${TESTS}/support/servers.ts`;
  const child = spawn(process.execPath, [...options, setup, ...files], {
    env: { ...process.env, [INSTALLED]: program },
    stdio: "inherit",
  });
  [process.exitCode] = await once(child, "exit");
});
