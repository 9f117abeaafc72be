import type { CanvasData } from "../canvases/canvas-data.ts";
import type { Config } from "../config/config.ts";
import { optional, type Step, sql } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { currentModels } from "./ai/prices.ts";

/** The settings that administrators change. */
export const settingData: CanvasData = { otherTables: ["instance_settings"] };

/**
 * The settings that administrators can change, except quotas, by their names in the table `instance_settings`. Amounts are in US dollars.
 */
export interface InstanceSettings {
  publicLinks: boolean;
  "ai.models": string[];
  "ai.userDailyUsd": number;
  "ai.canvasMonthlyUsd": number;
  "ai.guestUsd": number;
  /** Null if there is no such cap. */
  "ai.instanceMonthlyUsd": number | null;
}

type SettingName = keyof InstanceSettings;

/** The functions that read the default of each setting from the configuration of the deployment. */
const DEFAULTS: { [Name in SettingName]: (config: Config) => InstanceSettings[Name] } = {
  publicLinks: ({ publicLinks }) => publicLinks,
  "ai.models": (config) => (config.aiModels.length > 0 ? config.aiModels : currentModels(config)),
  "ai.userDailyUsd": ({ aiUserDailyUsd }) => aiUserDailyUsd,
  "ai.canvasMonthlyUsd": ({ aiCanvasMonthlyUsd }) => aiCanvasMonthlyUsd,
  "ai.guestUsd": ({ aiGuestUsd }) => aiGuestUsd,
  "ai.instanceMonthlyUsd": ({ aiInstanceMonthlyUsd }) => aiInstanceMonthlyUsd ?? null,
};

/** Returns the names of the settings that administrators have changed. */
export async function ownSettings({ db }: Env): Promise<string[]> {
  return (await db.all<{ name: string }>`select name from instance_settings`).map(({ name }) => name);
}

/** Reads the settings in effect. If the configuration of the deployment switches Public links off, administrators cannot switch them on. */
export async function readSettings({ db, config }: Env): Promise<InstanceSettings> {
  const rows = await db.all<{ name: string; value: string }>`select name, value from instance_settings`;
  const set = new Map(rows.map(({ name, value }) => [name, JSON.parse(value)]));
  const entries = Object.entries(DEFAULTS).map(([name, fallback]) => [
    name,
    set.get(name) ?? fallback(config),
  ]);
  const settings = Object.fromEntries(entries) as InstanceSettings;
  return { ...settings, publicLinks: settings.publicLinks && config.publicLinks };
}

/**
 * Returns the batch steps that change settings. A setting that is null in `patch` gets its default value. A setting that is undefined keeps
 * its value.
 */
export function settingSteps(
  patch: { [Name in SettingName]?: InstanceSettings[Name] | null | undefined },
): Step[] {
  return (Object.keys(DEFAULTS) as SettingName[]).flatMap((name): Step[] => {
    const value = patch[name];
    if (value === undefined) return [];
    if (value === null) return [optional`delete from instance_settings where name = ${name}`];
    return [
      sql`insert into instance_settings (name, value) values (${name}, ${JSON.stringify(value)})
        on conflict (name) do update set value = excluded.value`,
    ];
  });
}
