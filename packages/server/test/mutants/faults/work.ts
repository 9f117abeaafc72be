import { type Fault, fault } from "../fault.ts";

const OPERATION = "packages/server/src/operations/operation.ts";
const TURNS = "packages/server/src/async/event-loop-turns.ts";
const WORK = "packages/server/src/async/work.ts";
const SERVE_TOOLS = "packages/server/src/mcp/serve-tools.ts";
const FILES = "packages/server/src/primitives/files";

const PLACES_TEST = "packages/server/test/http/fair-work.test.ts";
const TURNS_TEST = "packages/server/src/async/event-loop-turns.test.ts";
const WORK_TEST = "packages/server/src/async/work.test.ts";
const EDITS_TEST = "packages/server/src/mcp/deploy/edit-text.test.ts";
const REMOVED_TEST = "packages/server/test/primitives/files/removed-files.test.ts";

/** Faults of how the work of small requests is bounded, and charged to a person. */
export const work: Fault[] = [
  fault(
    "work: operations take no place",
    OPERATION,
    'if (cost === "cheap" || work !== undefined) return call(false);',
    "if (true) return call(false);",
    PLACES_TEST,
  ),
  fault(
    "work: a caller who has waited is not checked again",
    OPERATION,
    "return call(!isFree || turn !== undefined);",
    "return call(false);",
    PLACES_TEST,
  ),
  fault(
    "work: a client that has gone goes on waiting",
    OPERATION,
    "calls.run(id, inTurn, isFree ? undefined : signal())",
    "calls.run(id, inTurn)",
    PLACES_TEST,
  ),
  fault(
    "work: calls of tools take no place",
    SERVE_TOOLS,
    "return env.calls.run(id, answer, env.calls.hasPlace(id) ? undefined : signal());",
    "return answer();",
    PLACES_TEST,
  ),
  fault(
    "work: a tool reads files before a deploy has room",
    "packages/server/src/mcp/tools/deploy-canvas.ts",
    "call.env.deploys.requireRoom(call.caller.user.id);",
    "",
    PLACES_TEST,
  ),
  fault(
    "work: the turns of one person come before those of others",
    TURNS,
    "this.#long.run(person,",
    'this.#long.run("all",',
    TURNS_TEST,
  ),
  fault("work: a budget has no end", WORK, "if (done > BUDGET[kind])", "if (false)", WORK_TEST, EDITS_TEST),
  fault(
    "work: goes on after its client",
    TURNS,
    "this.alone(person, () => {}, signal())",
    "this.alone(person, () => {})",
    WORK_TEST,
  ),
  fault(
    "files: what is removed counts for no canvas",
    `${FILES}/store.ts`,
    "file_bytes.bytes + file_bytes.removed + excluded.bytes",
    "file_bytes.bytes + excluded.bytes",
    "packages/server/test/primitives/files/files-quota.test.ts",
  ),
  fault(
    "files: what is removed counts for no owner",
    "packages/server/src/canvases/owner-quotas.ts",
    "sum(stored.bytes + stored.removed)",
    "sum(stored.bytes)",
    REMOVED_TEST,
  ),
  fault(
    "files: bytes are removed while a restore may need them",
    `${FILES}/removed-files.ts`,
    "if ((await heldUntil(env)) !== null) return false;",
    "",
    REMOVED_TEST,
  ),
];
