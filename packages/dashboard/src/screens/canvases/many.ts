/** A canvas whose act failed, and why. */
export interface Failure {
  id: string;
  title: string;
  error: Error;
}

/** The number of canvases that one act changes at most. */
export const MAX_MANY = 100;

/**
 * Performs an act on canvases one by one. `progress` is called before each one with the number of those before it. A failure does not keep
 * the others from being tried. Returns those that were done, and the failures.
 */
export async function eachOf<Each extends { id: string; title: string }>(
  canvases: readonly Each[],
  act: (canvas: Each) => Promise<unknown>,
  progress: (done: number) => void,
): Promise<{ done: Each[]; failures: Failure[] }> {
  const done: Each[] = [];
  const failures: Failure[] = [];
  for (const [index, canvas] of canvases.entries()) {
    progress(index);
    try {
      await act(canvas);
      done.push(canvas);
    } catch (error) {
      failures.push({ id: canvas.id, title: canvas.title, error: error as Error });
    }
  }
  return { done, failures };
}
