import { CAPABILITIES } from "@easel/protocol/capabilities";
import { ERRORS } from "@easel/protocol/errors";
import { LIMITS } from "@easel/protocol/limits";
import { AUDIENCES, PRESETS, RIGHTS } from "@easel/protocol/policy";
import { CLOSE_CODES, FRAME_ERRORS } from "@easel/protocol/realtime";
import { PERMISSION_NEEDS } from "../access/roles.ts";
import { fileVariableOf } from "../config/config.ts";
import type { Setting } from "../config/setting-types.ts";
import type { Price } from "../config/settings/ai-settings.ts";
import { SETTINGS } from "../config/settings.ts";
import { listMetrics, newMetrics } from "../metrics/metrics.ts";
import { PRICE_LIST, PRICES_READ_ON } from "../organisation/ai/prices.ts";
import { PERSON_QUOTA_NAMES, quotasOf } from "../organisation/quotas.ts";
import { REMOVED_FAMILIES } from "../primitives/connections/removed-headers.ts";
import { SENT_FAMILIES } from "../primitives/connections/sent-headers.ts";
import { primitives } from "../primitives/index.ts";
import { code, enumeration, table } from "./markdown.ts";

/** Returns the default of a setting as the docs show it. */
function defaultOf({ fallback, shown }: Setting<unknown>): string {
  if (shown !== undefined) return shown;
  if (fallback === null || (Array.isArray(fallback) && fallback.length === 0)) return "none";
  if (typeof fallback === "boolean") return fallback ? "`on`" : "`off`";
  return code(Array.isArray(fallback) ? fallback.join(",") : String(fallback));
}

export const settings = () =>
  table(
    ["Variable", "Default", "Values", "Meaning"],
    Object.values<Setting<unknown>>(SETTINGS).map((setting) => [
      [setting.variable, ...(setting.secret === true ? [fileVariableOf(setting)] : [])]
        .map(code)
        .join(" or "),
      defaultOf(setting),
      setting.kind.may,
      setting.meaning,
    ]),
  );

export const metrics = () =>
  table(
    ["Metric", "Type", "Labels", "Meaning"],
    listMetrics(newMetrics()).map(({ name, type, labels, help }) => [
      code(name),
      type,
      labels.map(code).join(", "),
      help,
    ]),
  );

export const errors = () =>
  table(
    ["Code", "Status", "Default message"],
    Object.entries(ERRORS).map(([name, { status, message }]) => [code(name), String(status), message]),
  );

export const frames = () =>
  table(
    ["Code", "Message"],
    Object.entries(FRAME_ERRORS).map(([name, message]) => [code(name), message]),
  );

export const closes = () =>
  table(
    ["Close code", "When"],
    Object.values(CLOSE_CODES).map(({ code: number, when }) => [String(number), when]),
  );

export const limits = (shown: (typeof LIMITS)[keyof typeof LIMITS][] = Object.values(LIMITS)) =>
  table(
    ["What", "Limit", "Above the limit"],
    shown.map(({ of, value, unit, past }) => [of, `${value.toLocaleString("en")} ${unit}`, past]),
  );

export const sentHeaders = () =>
  table(
    ["About", "Names"],
    SENT_FAMILIES.map(({ what, names }) => [what, names.map(code).join(", ")]),
  );

export const removedHeaders = () =>
  table(
    ["About", "Names"],
    REMOVED_FAMILIES.map(({ what, names }) => [what, names.map(code).join(", ")]),
  );

export const capabilities = () =>
  table(
    ["Capability", "Switch of the canvas", "Why the deployment may refuse it"],
    Object.entries(CAPABILITIES).map(([name, { switch: own, operatorHint, operatorRemedy }]) => [
      name,
      own === null ? "the backend itself" : code(own),
      operatorHint === null ? "" : `${operatorHint} (${code(operatorRemedy)})`,
    ]),
  );

export const permissions = () =>
  table(
    ["Permission", "Needs the capability", "Granted to"],
    Object.entries(PERMISSION_NEEDS).map(([name, { capability, manager, audience, guests, connection }]) => [
      code(name),
      capability ?? "",
      [
        manager
          ? "owner and editors"
          : audience
            ? `as \`${audience}\` of the canvas says`
            : connection
              ? "everyone who may use one of the granted Connections"
              : "everyone with a role",
        guests && (guests === "never" ? "not guests" : `guests where \`${guests}\` is on`),
      ]
        .filter(Boolean)
        .join("; "),
    ]),
  );

export const rights = () =>
  table(
    ["Right", "The author", "Owner and editors", "Everyone with a role"],
    Object.entries(RIGHTS).map(([name, { author, managers, everyone }]) => [
      code(name),
      ...[author, managers, everyone].map((applies) => (applies ? "yes" : "")),
    ]),
  );

export const presets = () =>
  table(
    ["Preset", "read", "create", "update", "delete"],
    Object.entries(PRESETS).map(([name, preset]) => [
      code(name),
      ...[preset.read, preset.create, preset.update, preset.delete].map(code),
    ]),
  );

export const audiences = () => AUDIENCES.map(code).join(", ");

export function quotas(): string {
  const canvasData = primitives.flatMap(({ data }) => data ?? []);
  return enumeration([...quotasOf({ canvasData }).map(([name]) => name), ...PERSON_QUOTA_NAMES].map(code));
}

export const personQuotas = () => enumeration(PERSON_QUOTA_NAMES.map(code));

export const aiPricesRead = () => PRICES_READ_ON;

export function aiPrices(): string {
  const rows = Object.entries(PRICE_LIST).flatMap(([provider, models]) =>
    Object.entries(models).flatMap(([model, { current, long, ...price }]) => {
      const row = (label: string, { input, output, cacheWrite, cacheRead }: Price) => [
        provider,
        label,
        current ? "yes" : "",
        ...[input, output, cacheWrite, cacheRead].map(String),
      ];
      const name = code(model);
      if (long === undefined) return [row(name, price)];
      const above = `${name}, input above ${long.above.toLocaleString("en")} tokens`;
      return [row(name, price), row(above, long)];
    }),
  );
  const head = ["Provider", "Model", "Allowed by default", "Input", "Output", "Cache write", "Cache read"];
  return table(head, rows);
}
