import { type Fault, fault } from "../fault.ts";

/** Faults of realtime. */
export const realtime: Fault[] = [
  fault(
    "realtime: frames follow the close frame",
    "packages/server/src/primitives/realtime/outbox.ts",
    "|| !this.#isOpen()",
    "",
    "packages/server/src/primitives/realtime/outbox.test.ts",
  ),
  fault(
    "realtime: a channel that may no longer be heard stays subscribed",
    "packages/server/src/primitives/realtime/channels.ts",
    "if (!now.subscribe) {",
    "if (false) {",
    "packages/server/test/conformance/realtime.test.ts",
  ),
  fault(
    "realtime: one hears oneself join",
    "packages/server/src/primitives/realtime/subscription.ts",
    " || user === this.#client.access.user.id",
    "",
    "packages/server/test/conformance/realtime.test.ts",
  ),
  fault(
    "realtime: changes of other people's keys are told",
    "packages/server/src/primitives/realtime/watched-changes.ts",
    "const OWNER: Right = { own: true, any: false };",
    "const OWNER: Right = { own: true, any: true };",
    "packages/server/test/conformance/realtime.test.ts",
  ),
  fault(
    "realtime: frames held for a recheck are flushed at the first of two",
    "packages/server/src/primitives/realtime/held-frames.ts",
    "if (--this.#pendingChecks > 0) return [];",
    "--this.#pendingChecks;",
    "packages/server/test/primitives/realtime/realtime-held-frames.test.ts",
  ),
  fault(
    "realtime: a connection without a place stays open",
    "packages/server/src/primitives/realtime/connection.ts",
    'if (outcome !== "held") await this.#closeWithoutPlace(outcome);',
    "",
    "packages/server/test/conformance/realtime.test.ts",
  ),
  fault(
    "realtime: connections stay open when a canvas changes",
    "packages/server/src/primitives/realtime/hub.ts",
    "this.#byCanvas.get(concerned.canvas) ?? []",
    "[]",
    "packages/server/test/conformance/realtime.test.ts",
  ),
  fault(
    "files: changes are sent to everyone who watches",
    "packages/server/src/primitives/realtime/watched-changes.ts",
    "return scopeRights(change.scope, access.policy, access.role)?.read;",
    "return EVERYONE;",
    "packages/server/test/conformance/files.test.ts",
  ),
  fault(
    "realtime: a person gets connections past the setting",
    "packages/server/src/drivers/bus/places.ts",
    ">= each",
    "> each",
    "packages/server/test/primitives/realtime/realtime-places.test.ts",
    "packages/server/test/drivers/bus.test.ts",
  ),
  fault(
    "realtime: viewers learn who has the connections",
    "packages/server/src/primitives/realtime/connection.ts",
    "manages(this.access.role) ? (detail ?? reason) : reason",
    "detail ?? reason",
    "packages/server/test/primitives/realtime/realtime-places.test.ts",
  ),
];
