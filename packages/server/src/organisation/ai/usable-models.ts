import type { Env } from "../../env.ts";
import { readSettings } from "../instance-settings.ts";
import { priceOf } from "./prices.ts";

/** Returns the ids of the models that canvases may use: those that the administrators allow and that have a price. */
export const usableModels = async (env: Env): Promise<string[]> =>
  (await readSettings(env))["ai.models"].filter((model) => priceOf(model, 0, env.config) !== null);
