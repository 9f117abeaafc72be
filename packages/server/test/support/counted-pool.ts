import { TaskPool } from "../../src/async/task-pool.ts";

/** A pool that counts its running tasks. */
export class CountedPool extends TaskPool {
  running = 0;

  override run<Result>(
    person: string,
    task: (signal: AbortSignal) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    const counted = async (given: AbortSignal) => {
      this.running++;
      try {
        return await task(given);
      } finally {
        this.running--;
      }
    };
    return super.run(person, counted, signal);
  }
}
