import type { SpendScope } from "@easel/protocol/ai";
import { refuse } from "../../http/refusal.ts";

const MESSAGES: Record<SpendScope, string> = {
  user_daily: "Your AI allowance for today (UTC) is used up.",
  canvas_monthly: "The AI allowance of this canvas for this month (UTC) is used up.",
  guest: "Your AI allowance as a guest is used up.",
};

/** Throws 429 `GUEST_AI_CAP` or `QUOTA_EXCEEDED` with the `scope` of the cap that is used up. */
export function refuseOverCap(scope: SpendScope): never {
  const code = scope === "guest" ? "GUEST_AI_CAP" : "QUOTA_EXCEEDED";
  return refuse(code, { scope, message: MESSAGES[scope] }, 429);
}
