import type { AdminSettings } from "@easel/protocol/management";
import { z } from "zod";
import { SETTINGS } from "../../config/settings.ts";
import type { Env } from "../../env.ts";
import { entries, label, quota } from "../../http/field-schemas.ts";
import { refuse } from "../../http/refusal.ts";
import { readSettings, settingSteps } from "../../organisation/instance-settings.ts";
import { quotaSteps, readQuotas } from "../../organisation/quotas.ts";
import { act, ok } from "../act.ts";
import { json } from "../bodies.ts";
import { adminSettings } from "../responses/admin.ts";

const usd = z.number().min(0).max(Number.MAX_SAFE_INTEGER).nullable().optional();

/** The maximum number of quotas in a request. There are fewer. */
const MAX_QUOTAS = 100;

const Patch = z.strictObject({
  publicLinks: z.boolean().nullable().optional(),
  quotas: entries(z.string(), quota, MAX_QUOTAS).optional(),
  ai: z
    .strictObject({
      models: z.array(label(200)).max(100).nullable().optional(),
      userDailyUsd: usd,
      canvasMonthlyUsd: usd,
      guestUsd: usd,
      instanceMonthlyUsd: usd,
    })
    .optional(),
});

async function viewOf(env: Env): Promise<AdminSettings> {
  const [settings, quotas] = await Promise.all([readSettings(env), readQuotas(env)]);
  return {
    publicLinks: settings.publicLinks,
    quotas,
    ai: {
      models: settings["ai.models"],
      userDailyUsd: settings["ai.userDailyUsd"],
      canvasMonthlyUsd: settings["ai.canvasMonthlyUsd"],
      guestUsd: settings["ai.guestUsd"],
      instanceMonthlyUsd: settings["ai.instanceMonthlyUsd"],
    },
  };
}

/** The endpoints for the settings of the whole instance (docs/operating.md#quotas-and-rates). */
export const settings = [
  act({
    name: "settings.read",
    method: "GET",
    path: "/api/admin/settings",
    summary: "Returns the settings of the instance as they are in effect.",
    allow: "administrator",
    response: ok(adminSettings),
    run: async (_call, env) => ({ body: await viewOf(env) }),
  }),
  act({
    name: "settings.update",
    method: "PATCH",
    path: "/api/admin/settings",
    summary: "Changes settings of the instance.",
    details:
      "Omitted settings stay as they are; null restores the default of the deployment. `publicLinks` cannot be switched on where `SERVICE_PUBLIC_LINKS` is off.",
    allow: "administrator",
    affects: "people",
    body: json(Patch),
    response: ok(adminSettings),
    async run({ body }, env) {
      const { publicLinks, quotas = {}, ai = {} } = body;
      if (publicLinks === true && !env.config.publicLinks) {
        const { variable } = SETTINGS.publicLinks;
        refuse("INVALID_BODY", { message: `Public links are switched off by ${variable}.` });
      }
      await env.db.withReserve.batch([
        ...settingSteps({
          publicLinks,
          "ai.models": ai.models,
          "ai.userDailyUsd": ai.userDailyUsd,
          "ai.canvasMonthlyUsd": ai.canvasMonthlyUsd,
          "ai.guestUsd": ai.guestUsd,
          "ai.instanceMonthlyUsd": ai.instanceMonthlyUsd,
        }),
        ...quotaSteps(quotas, env),
      ]);
      return { body: await viewOf(env), audit: { details: body } };
    },
  }),
];
