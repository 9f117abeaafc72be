import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { before, test } from "node:test";
import { promisify } from "node:util";
import { ROOT } from "../areas.ts";
import { missing } from "../support/programs.ts";
import { fileScope, temporaryDirectory } from "../support/service.ts";

const run = promisify(execFile);
const skip = missing("systemd-analyze");

/** Copies of the units whose command exists on this machine. */
let service: string;
let units: string[];
const scope = fileScope();
before(async () => {
  const folder = await temporaryDirectory(scope);
  service = path.join(folder, "easel.service");
  const others = ["easel.socket", "easel-backup.service", "easel-backup.timer"];
  units = [service, ...others.map((name) => path.join(folder, name))];
  for (const unit of units) {
    const text = await readFile(path.join(ROOT, "deploy/systemd", path.basename(unit)), "utf8");
    await writeFile(unit, text.replace("/usr/bin/easel-server", process.execPath));
  }
});

test("systemd accepts the units", { skip }, async () => {
  const { stdout, stderr } = await run("systemd-analyze", ["verify", ...units]);
  assert.equal(stdout + stderr, "");
});

test("the exposure of the service, as systemd counts it from 0 to 10, is at most 1.5", { skip }, async () => {
  const { stdout } = await run("systemd-analyze", ["security", "--offline=true", service]);
  const [, exposure] = /Overall exposure level for easel\.service: (\S+)/.exec(stdout) ?? [];
  assert.ok(Number(exposure ?? 10) <= 1.5, `${exposure}`);
});

test("easel-command runs a command with the user, the settings and the secrets of the unit and of its drop-ins", async (t) => {
  const folder = await temporaryDirectory(t);
  const unit = [
    await readFile(path.join(ROOT, "deploy/systemd/easel.service"), "utf8"),
    "[Service]\nLoadCredential=oidc-secret:/etc/easel/oidc secret\nEnvironment=SERVICE_OIDC_CLIENT_SECRET_FILE=%d/oidc-secret *=100%%\n",
  ];
  await writeFile(path.join(folder, "unit"), unit.join("\n"));
  const stand = (name: string, text: string) =>
    writeFile(path.join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  await stand(
    "systemctl",
    `case $* in *=User*) ;; *DynamicUser*) echo yes ;; cat*) cat ${folder}/unit ;; esac`,
  );
  await stand("systemd-run", "printf '%s\\n' \"$@\"");
  const env = { PATH: `${folder}:${process.env.PATH}` };
  const { stdout } = await run(path.join(ROOT, "deploy/systemd/easel-command"), ["copy", "--to", "a b"], {
    env,
  });
  const lines = stdout.trimEnd().split("\n");
  const name = lines.find((line) => line.startsWith("--unit="))?.slice("--unit=".length);
  assert.match(`${name}`, /^easel-command-\d+$/);
  const properties = lines.filter((line) => /^--property=(User|DynamicUser|Environment|Load)/.test(line));
  assert.deepEqual(
    properties.map((line) => line.slice("--property=".length)),
    [
      "User=easel",
      "DynamicUser=yes",
      "EnvironmentFile=/etc/easel/easel.env",
      "Environment=SERVICE_DATA_DIR=/var/lib/easel NODE_COMPILE_CACHE=/var/cache/easel",
      "LoadCredential=session-secret:/etc/easel/session-secret",
      `Environment=SERVICE_SESSION_SECRET_FILE=/run/credentials/${name}.service/session-secret`,
      "LoadCredential=oidc-secret:/etc/easel/oidc secret",
      `Environment=SERVICE_OIDC_CLIENT_SECRET_FILE=/run/credentials/${name}.service/oidc-secret *=100%`,
    ],
  );
  assert.deepEqual(lines.slice(lines.indexOf("--")), ["--", "/usr/bin/easel-server", "copy", "--to", "a b"]);
});
