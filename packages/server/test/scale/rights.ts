import { setTimeout as sleep } from "node:timers/promises";
import { type Stage, stage } from "@easel/conformance/fixture";
import type { Target } from "@easel/conformance/target";
import { ask, askPage } from "./ask.ts";

const CLIENTS = 4;
const PAUSE_MS = 25;

/** How many requests had to be decided by a known right, and those that were not. */
export interface RightsResult {
  decided: number;
  /** Successes of someone without the right. */
  stale: number;
  /** Refusals of someone with the right. */
  refused: number;
  changes: number;
}

/** Whether the person may enter, from the answer to the change until the next change is sent. */
interface Known {
  may: boolean;
}

/** Gives a person a role on one node and takes it again, while clients with their session work on another node. */
export class Rights {
  readonly #here: Target;
  readonly #there: Target;
  readonly result: RightsResult = { decided: 0, stale: 0, refused: 0, changes: 0 };
  #isStopped = false;
  #done: Promise<unknown> = Promise.resolve();

  private constructor(here: Target, there: Target) {
    this.#here = here;
    this.#there = there;
  }

  static async start(here: Target, there: Target): Promise<Rights> {
    const rights = new Rights(here, there);
    const canvas = await stage(here);
    rights.#done = rights.#work(canvas);
    return rights;
  }

  async #work(first: Stage): Promise<void> {
    let canvas: Stage | undefined = first;
    while (!this.#isStopped) {
      if (canvas !== undefined) await this.#on(canvas);
      // A change without an answer may take effect at any time: the canvas is given up for another one.
      canvas = await stage(this.#here).catch(() => undefined);
      if (canvas === undefined) await sleep(200);
    }
  }

  /** Works on a canvas until a change has no answer. */
  async #on(canvas: Stage): Promise<void> {
    const { owner, editor } = canvas.people;
    const state: { known: Known | undefined; isOver: boolean } = { known: undefined, isOver: false };
    const client = async (method: "GET" | "PUT") => {
      while (!state.isOver) {
        const { known } = state;
        const answer = await askPage(
          this.#there,
          canvas.slug,
          editor,
          method,
          "/kv/k",
          method === "PUT" ? { value: 1 } : undefined,
        );
        if (answer === undefined || answer.status >= 500) await sleep(20);
        else if (known !== undefined && known === state.known) {
          this.result.decided++;
          const entered = answer.status === 200;
          if (entered && !known.may) this.result.stale++;
          if (!entered && known.may) this.result.refused++;
        }
        await sleep(1);
      }
    };
    const seeded = await askPage(this.#here, canvas.slug, owner, "PUT", "/kv/k", { value: 1 });
    const clients = Array.from({ length: CLIENTS }, (_, at) => client(at % 2 === 0 ? "GET" : "PUT"));
    for (let may = false; seeded?.status === 200 && !this.#isStopped; may = !may) {
      state.known = undefined;
      const people = may ? [{ email: editor.email, role: "editor" }] : [];
      const change = { access: "private", people };
      const answer = await ask(this.#here, owner, "PUT", `/api/canvases/${canvas.id}/sharing`, change);
      if (answer?.status !== 200) break;
      this.result.changes++;
      state.known = { may };
      await sleep(PAUSE_MS);
    }
    state.isOver = true;
    await Promise.all(clients);
  }

  async stop(): Promise<RightsResult> {
    this.#isStopped = true;
    await this.#done;
    return this.result;
  }
}
