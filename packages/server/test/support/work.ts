import { Turns } from "../../src/async/event-loop-turns.ts";
import { Work } from "../../src/async/work.ts";

/** Returns the work of a call of its own, whose client stays. */
export const newWork = (turns = new Turns()): Work =>
  new Work("ada", () => new AbortController().signal, { turns });
