import { describe } from "node:test";
import { channels } from "./realtime/channels.ts";
import { live } from "./realtime/live.ts";
import { handshakeRates } from "./realtime/metering.ts";
import { origins } from "./realtime/origins.ts";
import { people } from "./realtime/people.ts";
import { publish } from "./realtime/publish.ts";
import { rights } from "./realtime/rights.ts";
import { route } from "./realtime/route.ts";
import { upgrade } from "./realtime/upgrade.ts";
import { visitors } from "./realtime/visitors.ts";
import type { Target } from "./target.ts";

/**
 * Tests specification 4.7: channels with messages and presence over a WebSocket, with the rights of specification 5.
 */
export function realtime(target: Target): void {
  describe("4.7 realtime", () => {
    if (target.rateLimited) return handshakeRates(target);
    upgrade(target);
    origins(target);
    route(target);
    people(target);
    visitors(target);
    publish(target);
    channels(target);
    rights(target);
    live(target);
  });
}
