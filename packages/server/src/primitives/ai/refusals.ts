import type { SpendScope } from "@easel/protocol/ai";
import { refuse } from "../../http/refusal.ts";

const MESSAGES: Record<SpendScope, string> = {
  user_daily: "Your AI allowance for today (UTC) is used up.",
  canvas_monthly: "The AI allowance of this canvas for this month (UTC) is used up.",
  guest: "Your AI allowance as a guest is used up.",
  instance_monthly: "The AI allowance of this service for this month (UTC) is used up.",
};

const OF_INVITER = "The AI allowance of the person who invited you is used up for today (UTC).";

/** Throws 429 `GUEST_AI_CAP` or `QUOTA_EXCEEDED` with the `scope` of the cap that is used up. `guest` is whether the caller is a guest. */
export function refuseOverCap(scope: SpendScope, guest: boolean): never {
  const code = scope === "guest" ? "GUEST_AI_CAP" : "QUOTA_EXCEEDED";
  const message = guest && scope === "user_daily" ? OF_INVITER : MESSAGES[scope];
  return refuse(code, { scope, message }, 429);
}
