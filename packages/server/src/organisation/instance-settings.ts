import type { Config } from "../config/config.ts";
import { optional, type Step, sql } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";

/** What administrators may set besides quotas; by the names of the rows. Amounts are USD. */
export interface InstanceSettings {
  publicLinks: boolean;
  "ai.models": string[];
  "ai.userDailyUsd": number;
  "ai.canvasMonthlyUsd": number;
  "ai.guestUsd": number;
}

type SettingName = keyof InstanceSettings;

/** What holds until an administrator sets something: the deployment's own settings. */
const USUAL: { [Name in SettingName]: (config: Config) => InstanceSettings[Name] } = {
  publicLinks: ({ publicLinks }) => publicLinks,
  "ai.models": ({ aiModels }) => aiModels,
  "ai.userDailyUsd": ({ aiUserDailyUsd }) => aiUserDailyUsd,
  "ai.canvasMonthlyUsd": ({ aiCanvasMonthlyUsd }) => aiCanvasMonthlyUsd,
  "ai.guestUsd": ({ aiGuestUsd }) => aiGuestUsd,
};

/** Every setting as it holds now. Public links that the deployment has switched off are off. */
export async function readSettings({ db, config }: Env): Promise<InstanceSettings> {
  const rows = await db.all<{ name: string; value: string }>`select name, value from instance_settings`;
  const set = new Map(rows.map(({ name, value }) => [name, JSON.parse(value)]));
  const entries = Object.entries(USUAL).map(([name, usual]) => [name, set.get(name) ?? usual(config)]);
  const settings = Object.fromEntries(entries) as InstanceSettings;
  return { ...settings, publicLinks: settings.publicLinks && config.publicLinks };
}

/** The writes that set settings; null brings back the usual one, what is left out stays. */
export function settingSteps(
  patch: { [Name in SettingName]?: InstanceSettings[Name] | null | undefined },
): Step[] {
  return (Object.keys(USUAL) as SettingName[]).flatMap((name): Step[] => {
    const value = patch[name];
    if (value === undefined) return [];
    if (value === null) return [optional`delete from instance_settings where name = ${name}`];
    return [
      sql`insert into instance_settings (name, value) values (${name}, ${JSON.stringify(value)})
        on conflict (name) do update set value = excluded.value`,
    ];
  });
}
