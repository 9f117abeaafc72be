import { z } from "zod";
import { SETTINGS } from "../../config/settings.ts";
import type { Env } from "../../env.ts";
import { refuse } from "../../http/refusal.ts";
import { readSettings, settingSteps } from "../../organisation/instance-settings.ts";
import { QUOTA_NAMES, quotaSteps, readQuotas } from "../../organisation/quotas.ts";
import { actWithJson, anyone } from "../act.ts";
import { label, quota } from "../fields.ts";
import { ok, type Routes } from "../route.ts";

const most = Number.MAX_SAFE_INTEGER;
const usd = z.number().min(0).max(most).nullable().optional();

const Patch = z.strictObject({
  publicLinks: z.boolean().nullable().optional(),
  quotas: z.partialRecord(z.enum(QUOTA_NAMES), quota).optional(),
  ai: z
    .strictObject({
      models: z.array(label(200)).max(100).nullable().optional(),
      userDailyUsd: usd,
      canvasMonthlyUsd: usd,
      guestUsd: usd,
    })
    .optional(),
});

async function viewOf(env: Env) {
  const [settings, quotas] = await Promise.all([readSettings(env), readQuotas(env)]);
  return {
    publicLinks: settings.publicLinks,
    quotas,
    ai: {
      models: settings["ai.models"],
      userDailyUsd: settings["ai.userDailyUsd"],
      canvasMonthlyUsd: settings["ai.canvasMonthlyUsd"],
      guestUsd: settings["ai.guestUsd"],
    },
  };
}

/** What administrators set for the whole instance (management API, section 4). */
export const settings: Routes = {
  "/admin/settings": {
    GET: async (_call, env) => ok(await viewOf(env)),

    PATCH: actWithJson("settings.update", Patch, {
      may: anyone,
      async run(_call, _all, patch, env) {
        const { publicLinks, quotas = {}, ai = {} } = patch;
        if (publicLinks === true && !env.config.publicLinks) {
          const { variable } = SETTINGS.publicLinks;
          refuse("INVALID_BODY", { message: `Public links are switched off by ${variable}.` });
        }
        await env.db.batch([
          ...settingSteps({
            publicLinks,
            "ai.models": ai.models,
            "ai.userDailyUsd": ai.userDailyUsd,
            "ai.canvasMonthlyUsd": ai.canvasMonthlyUsd,
            "ai.guestUsd": ai.guestUsd,
          }),
          ...quotaSteps(quotas),
        ]);
        return ok(await viewOf(env), { details: patch });
      },
    }),
  },
};
