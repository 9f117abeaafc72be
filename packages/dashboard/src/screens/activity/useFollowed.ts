import { useEffect, useState } from "react";
import { SignedOut } from "../../api/api-error.ts";
import { queries } from "../../api/queries.ts";
import { callsAfter, callsQuery } from "./activity-queries.ts";
import { joined } from "./calls.ts";
import { pauseInView } from "./pause.ts";

/** The shortest and the longest pause between two requests for new calls. It grows while there are none, and while the service fails. */
const SHORTEST_MS = 2_000;
const LONGEST_MS = 15_000;

/** What a follower says about itself: how many calls have come since it began, and why it waits, if it does. */
export interface Followed {
  arrived: number;
  error: Error | null;
}

const NOTHING: Followed = { arrived: 0, error: null };

/** While `isOn`, adds new calls to what `callsQuery` has read. Pauses while the page is hidden. */
export function useFollowed(id: string, isOn: boolean): Followed {
  const [state, setState] = useState(NOTHING);
  useEffect(() => {
    if (!isOn) return;
    const stop = new AbortController();
    const { signal } = stop;
    const follow = async () => {
      const { queryKey } = callsQuery(id);
      let ms = 0;
      let arrived = 0;
      for (;;) {
        await pauseInView(ms, signal);
        if (signal.aborted) return;
        try {
          const known = await queries.ensureQueryData(callsQuery(id));
          const page = await callsAfter(id, known.next, signal);
          const count = page.entries.length + page.dropped;
          arrived += page.entries.length;
          if (count > 0)
            // Another read may have come first.
            queries.setQueryData(queryKey, (log) => (log?.next === known.next ? joined(log, page) : log));
          setState({ arrived, error: null });
          ms = count > 0 ? SHORTEST_MS : Math.min(Math.max(ms * 1.25, SHORTEST_MS), LONGEST_MS);
        } catch (error) {
          if (signal.aborted) return;
          // After a sign-in it goes on.
          setState({ arrived, error: error instanceof SignedOut ? null : (error as Error) });
          ms = Math.min(Math.max(ms * 2, SHORTEST_MS), LONGEST_MS);
        }
      }
    };
    void follow();
    return () => {
      stop.abort();
      setState(NOTHING);
    };
  }, [id, isOn]);
  return state;
}
