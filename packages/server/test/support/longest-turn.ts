/**
 * Runs `work` and returns the CPU time of the longest turn of the event loop meanwhile, in milliseconds. CPU time does not depend on what
 * else the machine does.
 */
export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  const used = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
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
