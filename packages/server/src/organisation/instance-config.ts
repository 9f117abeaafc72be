import type { ConfigSetting } from "@easel/protocol/management";
import type { Setting } from "../config/setting-types.ts";
import { SETTINGS } from "../config/settings.ts";
import type { Env } from "../env.ts";
import { ownSettings, readSettings } from "./instance-settings.ts";
import { ownQuotas, quotasOf, readQuotas } from "./quotas.ts";

type Name = keyof typeof SETTINGS;

/** The settings that administrators change, each with its place in the body of `settings.update`. */
const CHANGEABLE: { [Each in Name]?: string } = {
  publicLinks: "publicLinks",
  quotaCanvases: "quotas.canvases.person",
  quotaBundleBytes: "quotas.bundles.bytes.person",
  quotaFilesBytes: "quotas.files.bytes.person",
  versionsKept: "quotas.versions.canvas",
  aiModels: "ai.models",
  aiUserDailyUsd: "ai.userDailyUsd",
  aiCanvasMonthlyUsd: "ai.canvasMonthlyUsd",
  aiGuestUsd: "ai.guestUsd",
  aiInstanceMonthlyUsd: "ai.instanceMonthlyUsd",
};

const QUOTAS = "quotas.";

/** Returns a value as the environment would have it. A value of another kind, such as a table, has no text. */
function textOf(value: unknown): string {
  if (typeof value === "boolean") return value ? "on" : "off";
  if (Array.isArray(value)) return value.every((each) => typeof each === "string") ? value.join(", ") : "";
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/**
 * Lists every setting: those of the environment in the order of their table, then the quotas that only administrators change. Secrets are
 * masked where the configuration is read, so no value of one reaches this function as a text.
 */
export async function listConfig(env: Env): Promise<ConfigSetting[]> {
  const [settings, quotas, namesOfSettings, namesOfQuotas] = await Promise.all([
    readSettings(env),
    readQuotas(env),
    ownSettings(env),
    ownQuotas(env),
  ]);
  const stored = new Set([...namesOfSettings, ...namesOfQuotas.map((name) => QUOTAS + name)]);
  const inEffect = new Map<string, unknown>([
    ...Object.entries(settings),
    ...Object.entries(quotas).map(([name, limit]) => [QUOTAS + name, limit] as const),
  ]);
  const ofEnvironment = (Object.entries(SETTINGS) as [Name, Setting<unknown>][]).map(([name, each]) => {
    const key = CHANGEABLE[name] ?? null;
    const given = env.config.given[name];
    // The deployment can switch Public links off; administrators cannot switch them on then.
    const isOwn = key !== null && stored.has(key) && !(name === "publicLinks" && !env.config.publicLinks);
    const masked = each.secret === true ? "" : textOf(env.config[name]);
    const value = key === null ? (given ?? masked) : textOf(inEffect.get(key));
    return {
      name: each.variable,
      value,
      source: isOwn
        ? ("instance" as const)
        : given === undefined
          ? ("default" as const)
          : ("environment" as const),
      changeable: key !== null,
      key,
      secret: each.secret === true,
      fallback: each.shown ?? textOf(each.fallback),
      meaning: each.meaning,
    };
  });
  const known = new Set(Object.values(CHANGEABLE));
  const others = quotasOf(env).flatMap(([quota, { limit }]): ConfigSetting[] => {
    const key = QUOTAS + quota;
    if (known.has(key)) return [];
    const source = stored.has(key) ? "instance" : "default";
    const value = textOf(inEffect.get(key));
    return [
      {
        name: quota,
        value,
        source,
        changeable: true,
        key,
        secret: false,
        fallback: String(limit),
        meaning: "",
      },
    ];
  });
  return [...ofEnvironment, ...others];
}
