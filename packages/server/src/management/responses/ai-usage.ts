import type { AiUsage, DailySpend, InstanceAiUsage, MonthlySpend } from "@easel/protocol/management";
import { z } from "zod";
import { exact } from "../../http/field-schemas.ts";

const sums = {
  requests: z.int(),
  incomplete: z.int(),
  inputTokens: z.int(),
  outputTokens: z.int(),
  cacheCreationInputTokens: z.int(),
  cacheReadInputTokens: z.int(),
  cost: z.number(),
};

const ofDays = {
  from: z.string(),
  to: z.string(),
  total: z.strictObject(sums),
  days: z.array(z.strictObject({ ...sums, day: z.string() })),
  models: z.array(z.strictObject({ ...sums, model: z.string() })),
};

const spend = { month: z.string(), spent: z.number(), reserved: z.number() };

export const aiUsage = exact<AiUsage>()("AiUsage", z.strictObject(ofDays));

export const instanceAiUsage = exact<InstanceAiUsage>()(
  "InstanceAiUsage",
  z.strictObject({
    ...ofDays,
    spend: z.strictObject({ ...spend, limit: z.number().nullable() }),
    people: z.array(
      z.strictObject({
        ...sums,
        userId: z.string(),
        name: z.string().nullable(),
        email: z.string().nullable(),
        guestCost: z.number(),
      }),
    ),
    canvases: z.array(z.strictObject({ ...sums, canvasId: z.string(), slug: z.string(), title: z.string() })),
  }),
);

export const monthlySpend = exact<MonthlySpend>()(
  "MonthlySpend",
  z.strictObject({ ...spend, limit: z.number() }),
);

export const dailySpend = exact<DailySpend>()(
  "DailySpend",
  z.strictObject({ day: z.string(), spent: z.number(), reserved: z.number(), limit: z.number() }),
);
