import { endGuestsOf, handOver } from "../../../../api/admin.ts";
import type { Share } from "./plan.ts";

/** How a handover ended for what one person was to take. */
export interface Outcome {
  share: Share;
  /** What could not be moved, by the ids of canvases and teams. */
  left: Awaited<ReturnType<typeof handOver>>["left"];
  /** Why the request failed. Some of the canvases may have been moved before. */
  error: Error | null;
}

export interface Run {
  outcomes: Outcome[];
  /** The number of canvases that the person still owns, as far as the service has said. */
  remaining: number | null;
  deactivated: boolean;
  /** The number of guests whose access has ended, or why it could not be ended. Null if nobody asked for it. */
  guests: number | Error | null;
}

/**
 * Hands over what each person takes, one request after the other. A request that fails does not keep the others from being sent: each canvas is
 * moved on its own. With `deactivate`, the service deactivates the person with the request that leaves them nothing. With `endGuests`, the
 * guests whom the person has invited lose their access at the end, whatever could be moved.
 */
export async function run(
  id: string,
  shares: readonly Share[],
  { deactivate, endGuests, reason }: { deactivate: boolean; endGuests: boolean; reason: string },
  onProgress: (done: number) => void,
): Promise<Run> {
  const result: Run = { outcomes: [], remaining: null, deactivated: false, guests: null };
  for (const [index, share] of shares.entries()) {
    onProgress(index);
    try {
      const { left, remaining, deactivated } = await handOver(id, {
        to: share.to,
        canvases: share.canvases.map((canvas) => canvas.id),
        teams: share.teams,
        deactivate,
        ...(reason === "" ? {} : { reason }),
      });
      result.outcomes.push({ share, left, error: null });
      result.remaining = remaining;
      result.deactivated = deactivated;
    } catch (error) {
      result.outcomes.push({ share, left: [], error: error as Error });
    }
  }
  if (endGuests)
    result.guests = await endGuestsOf(id).then(
      ({ ended }) => ended,
      (error: Error) => error,
    );
  return result;
}
