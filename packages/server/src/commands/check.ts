import { baseOf } from "../config/addresses.ts";
import { type Config, ConfigError, readConfig, unknownVariables } from "../config/config.ts";
import { warningsOf } from "../config/warnings.ts";
import { checkAddress } from "./checks/address-checks.ts";
import { checkSignIn } from "./checks/provider-checks.ts";
import type { Row } from "./checks/row.ts";
import { checkStores } from "./checks/store-checks.ts";
import { command, type Given } from "./command.ts";

const SIGNS: Record<Row["state"], string> = { ok: "ok     ", warning: "WARNING", failed: "FAILED " };

export const check = command({
  options: { json: { type: "boolean", meaning: "Prints the rows as JSON." } },
  async run({ options, environment }) {
    const rows = await checkAll(environment);
    const lines = rows.map(({ name, state, message }) => `${SIGNS[state]}  ${name.padEnd(15)}${message}`);
    process.stdout.write(options.json ? `${JSON.stringify(rows, null, 2)}\n` : `${lines.join("\n")}\n`);
    return rows.some(({ state }) => state === "failed") ? 1 : 0;
  },
});

/** Runs every check, one after the other. */
export async function checkAll(environment: Given["environment"]): Promise<Row[]> {
  let config: Config;
  try {
    config = readConfig(environment);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.mistakes.map((message) => ({ name: "settings", state: "failed", message }));
  }
  return [
    ...settingsRows(config, environment),
    ...(await checkStores(config)),
    ...(await checkSignIn(config, baseOf(config, config.port).origin)),
    ...(await checkAddress(config)),
  ];
}

function settingsRows(config: Config, environment: Given["environment"]): Row[] {
  const warnings = [
    ...unknownVariables(environment).map((name) => `${name} is set but is no setting of this service`),
    ...warningsOf(config),
  ];
  return [
    { name: "settings", state: "ok", message: `${Object.keys(config.given).length} are set, and valid` },
    ...warnings.map((message): Row => ({ name: "settings", state: "warning", message })),
  ];
}
