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
