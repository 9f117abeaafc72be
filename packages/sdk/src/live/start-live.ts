import type { EaselError } from "../errors.ts";
import { createListeners, type Listener } from "../realtime/listeners.ts";
import { type Change, createLive, type Source } from "./live-data.ts";

/**
 * Calls `show` with the data of `source` when it has been read, and whenever it has changed. Errors of reads and of the watch go to
 * `onError`; the next change is shown nevertheless. Returns a function that stops.
 */
export function startLive<Data, Item extends Change>(
  source: Source<Data, Item>,
  show: Listener<Data>,
  onError: Listener<EaselError>,
): () => void {
  const shows = createListeners<Data>();
  const errors = createListeners<EaselError>();
  const stops = [shows.add(show), errors.add(onError)];
  const live = createLive(source);
  let shown: { data: Data } | undefined;
  let told: EaselError | undefined;

  const update = () => {
    const { data, error } = live.getState();
    if (error !== told) {
      told = error;
      if (error !== undefined) errors.emit(error);
    }
    if (!live.isLoaded() || (shown && Object.is(shown.data, data))) return;
    shown = { data };
    shows.emit(data);
  };

  stops.push(live.subscribe(update));
  return () => {
    for (const stop of stops) stop();
  };
}
