const used = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/** Runs `work` and returns the CPU time that the main thread uses meanwhile, in milliseconds. */
export async function cpuTime(work: () => Promise<unknown>): Promise<number> {
  const before = used();
  await work();
  return used() - before;
}

/**
 * Runs `work` and returns the CPU time of the longest turn of the event loop meanwhile, in milliseconds. CPU time does not depend on what
 * else the machine does.
 */
export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let [longest, before, isOver] = [0, used(), false];
  const endTurn = () => {
    const now = used();
    longest = Math.max(longest, now - before);
    before = now;
    if (!isOver) setImmediate(endTurn);
  };
  setImmediate(endTurn);
  try {
    await work();
  } finally {
    await new Promise((resolve) => setImmediate(resolve));
    isOver = true;
    endTurn();
  }
  return longest;
}
