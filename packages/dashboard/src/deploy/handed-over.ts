import type { Offer } from "./offered.ts";

/** What was dropped or pasted. The files are those of the entries that are files. */
export interface Dropped {
  entries: FileSystemEntry[];
  files: File[];
}

/** Returns what was dropped or pasted. Call it in the handler of the event: the data is gone afterwards. */
export function droppedOf({ items }: DataTransfer): Dropped {
  const found = [...items].filter(({ kind }) => kind === "file");
  return {
    entries: found.flatMap((item) => item.webkitGetAsEntry() ?? []),
    files: found.flatMap((item) => item.getAsFile() ?? []),
  };
}

/** What was dropped on the window, until the screen that publishes it takes it. */
let handedOver: Promise<Offer> | undefined;
const listeners = new Set<() => void>();

/** Hands an offer over to the screen that is open or opens next. */
export function handOver(offer: Promise<Offer>): void {
  // The screen that takes it shows the error.
  offer.catch(() => undefined);
  handedOver = offer;
  for (const listener of listeners) listener();
}

/** Returns what was handed over, once. */
export function takeOver(): Promise<Offer> | undefined {
  const offer = handedOver;
  handedOver = undefined;
  return offer;
}

/** Calls `listener` when something is handed over. Returns a function that stops it. */
export function onHandedOver(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
