import { amount, list, oneOf, optional, type SettingType, setting, text, url } from "../setting-types.ts";

/** The prices of an AI model in US dollars per million tokens. */
export interface Price {
  input: number;
  output: number;
  /** The price of input that is written to the provider's prompt cache for five minutes. */
  cacheWrite: number;
  /** The price of input that is read from the provider's prompt cache. */
  cacheRead: number;
}

const prices: SettingType<Record<string, Price>> = {
  may: "JSON: `{ model: { input, output, cacheWrite, cacheRead } }`",
  read(value) {
    const table = JSON.parse(value) as Record<string, Price>;
    if (typeof table !== "object" || table === null || Array.isArray(table)) throw new RangeError();
    for (const each of Object.values(table)) {
      const numbers = [each.input, each.output, each.cacheWrite, each.cacheRead];
      if (!numbers.every((number) => Number.isFinite(number) && number >= 0)) throw new RangeError();
    }
    return table;
  },
};

/** Settings of AI. */
export const AI = {
  aiProvider: setting(
    "SERVICE_AI_PROVIDER",
    oneOf("anthropic", "openai"),
    "anthropic",
    "`openai` is any server that speaks its protocol.",
  ),
  aiApiKey: optional("SERVICE_AI_API_KEY", text, "Without one, AI is off for the instance.", {
    secret: true,
  }),
  aiBaseUrl: optional("SERVICE_AI_BASE_URL", url("http", "https"), "Address of the provider.", {
    shown: "the provider's own",
  }),
  aiModels: setting("SERVICE_AI_MODELS", list(text), [], "Models that canvases may use.", {
    shown: "current models of the provider",
  }),
  aiPrices: setting(
    "SERVICE_AI_PRICES",
    prices,
    {},
    "USD per million tokens; adds to and overrides the built-in table. A model without a price is not allowed.",
    { shown: "built-in table" },
  ),
  aiUserDailyUsd: setting("SERVICE_AI_USER_DAILY_USD", amount, 5, "Spend cap per person per day."),
  aiCanvasMonthlyUsd: setting("SERVICE_AI_CANVAS_MONTHLY_USD", amount, 50, "Spend cap per canvas per month."),
  aiGuestUsd: setting("SERVICE_AI_GUEST_USD", amount, 1, "Spend cap per guest."),
  aiInstanceMonthlyUsd: optional(
    "SERVICE_AI_INSTANCE_MONTHLY_USD",
    amount,
    "Spend cap of the whole instance per month. Without one, only the other caps apply.",
  ),
};
