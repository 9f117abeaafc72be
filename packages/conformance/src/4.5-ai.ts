import { describe, test } from "node:test";
import { aborts } from "./ai/aborts.ts";
import { audiences } from "./ai/audiences.ts";
import { caps } from "./ai/caps.ts";
import { events } from "./ai/events.ts";
import { failures } from "./ai/failures.ts";
import { invalid } from "./ai/invalid.ts";
import { ledger } from "./ai/ledger.ts";
import { order } from "./ai/order.ts";
import { prompts } from "./ai/prompts.ts";
import { rates } from "./ai/rates.ts";
import { requests } from "./ai/requests.ts";
import { routes } from "./ai/routes.ts";
import { switches } from "./ai/switches.ts";
import type { Target } from "./target.ts";

/**
 * Tests specification 4.5: AI chat. The service must use the stand-in AI provider of the tests, which responds
 * as a script in the chat message says. Without a stand-in provider, the tests are skipped.
 */
export function ai(target: Target): void {
  if (target.ai === undefined) {
    test("4.5 AI", { skip: "no stand-in provider is given (AI_PROVIDER)" });
    return;
  }
  describe("4.5 AI", () => {
    if (target.rateLimited) return rates(target);
    routes(target);
    requests(target);
    invalid(target);
    order(target);
    prompts(target);
    events(target);
    failures(target);
    aborts(target);
    audiences(target);
    caps(target);
    ledger(target);
    switches(target);
  });
}
