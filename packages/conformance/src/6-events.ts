import { describe } from "node:test";
import { badFrames } from "./realtime/bad-frames.ts";
import { changes } from "./realtime/changes.ts";
import { closing } from "./realtime/closing.ts";
import { credentials } from "./realtime/credentials.ts";
import { hostileFrames } from "./realtime/hostile-frames.ts";
import { metering } from "./realtime/metering.ts";
import { places } from "./realtime/places.ts";
import { readers } from "./realtime/readers.ts";
import { sizes } from "./realtime/sizes.ts";
import { switches } from "./realtime/switches.ts";
import { watches } from "./realtime/watch.ts";
import { wire } from "./realtime/wire.ts";
import type { Target } from "./target.ts";

/** Tests specification 6: errors, close codes, and watched changes of keys and records. */
export function events(target: Target): void {
  describe("6 events", () => {
    if (target.rateLimited) return metering(target);
    badFrames(target);
    sizes(target);
    hostileFrames(target);
    wire(target);
    closing(target);
    credentials(target);
    switches(target);
    places(target);
    watches(target);
    changes(target);
    readers(target);
  });
}
