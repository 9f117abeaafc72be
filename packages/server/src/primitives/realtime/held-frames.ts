interface Held {
  frame: Buffer;
  isDue: () => boolean;
}

/** So many frames may wait for a visitor to be looked at again. */
const MOST_HELD = 4_096;

/** What is said to a visitor while it is in doubt whether they may still be here: it waits until that is certain. */
export class HeldFrames {
  #doubts = 0;
  #held: Held[] = [];

  get isOpen(): boolean {
    return this.#doubts > 0;
  }

  begin(): void {
    this.#doubts++;
  }

  /** One doubt less; with the last one, what is still due of the frames that have waited. */
  end(): Buffer[] {
    if (--this.#doubts > 0) return [];
    const held = this.#held;
    this.#held = [];
    return held.filter(({ isDue }) => isDue()).map(({ frame }) => frame);
  }

  /** `pass` for a frame that may be sent, `wait` for one that is held, `full` when too many are. */
  take(frame: Buffer, isDue: () => boolean): "pass" | "wait" | "full" {
    if (this.#doubts === 0) return "pass";
    return this.#held.push({ frame, isDue }) > MOST_HELD ? "full" : "wait";
  }
}
