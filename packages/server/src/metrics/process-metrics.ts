import { readdir } from "node:fs/promises";
import { type EventLoopUtilization, monitorEventLoopDelay } from "node:perf_hooks";
import { getHeapSpaceStatistics } from "node:v8";
import type { Metrics } from "./metrics.ts";

/** The interval of the timer by which the delay of the event loop is measured, in milliseconds. */
const RESOLUTION_MS = 10;

/** Measures this process: its event loop since the last call, memory, CPU and file descriptors. */
export class ProcessMetrics {
  readonly #delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  #utilization: EventLoopUtilization = performance.eventLoopUtilization();

  constructor() {
    this.#delay.enable();
  }

  /** Sets the metrics of the process. */
  async collect(metrics: Metrics): Promise<void> {
    // The histogram has the intervals of its timer, and no mean before the first one.
    const secondsOf = (ns: number) => Math.max(0, (Number.isNaN(ns) ? 0 : ns) / 1e9 - RESOLUTION_MS / 1000);
    metrics.eventLoopDelayMean.set(secondsOf(this.#delay.mean));
    metrics.eventLoopDelayP99.set(secondsOf(this.#delay.percentile(99)));
    metrics.eventLoopDelayMax.set(secondsOf(this.#delay.max));
    this.#delay.reset();
    const now = performance.eventLoopUtilization();
    metrics.eventLoopUtilization.set(performance.eventLoopUtilization(now, this.#utilization).utilization);
    this.#utilization = now;
    for (const { space_name, space_used_size } of getHeapSpaceStatistics())
      metrics.heapUsed.set(space_used_size, space_name);
    const { user, system } = process.cpuUsage();
    metrics.cpuSeconds.set((user + system) / 1e6);
    metrics.residentBytes.set(process.memoryUsage.rss());
    metrics.startTime.set(performance.timeOrigin / 1000);
    const fds = await readdir("/proc/self/fd").catch(() => null);
    if (fds !== null) metrics.openFds.set(fds.length);
  }

  stop(): void {
    this.#delay.disable();
  }
}
