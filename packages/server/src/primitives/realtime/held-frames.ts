interface HeldFrame {
  frame: Buffer;
  isAllowed: () => boolean;
}

/** The most frames that a connection buffers. */
const MAX_HELD = 4_096;

/** Buffers outgoing frames while access is rechecked. */
export class HeldFrames {
  #pendingChecks = 0;
  #frames: HeldFrame[] = [];

  get isHolding(): boolean {
    return this.#pendingChecks > 0;
  }

  /** Starts to buffer. Every call is matched by one of `release`. */
  hold(): void {
    this.#pendingChecks++;
  }

  /** Ends one check. After the last one, returns the buffered frames that are still allowed. */
  release(): Buffer[] {
    if (--this.#pendingChecks > 0) return [];
    const frames = this.#frames;
    this.#frames = [];
    return frames.filter(({ isAllowed }) => isAllowed()).map(({ frame }) => frame);
  }

  /** Buffers a frame while access is rechecked. Returns `pass` when it may be sent at once, `full` when too many are buffered. */
  add(frame: Buffer, isAllowed: () => boolean): "pass" | "held" | "full" {
    if (this.#pendingChecks === 0) return "pass";
    return this.#frames.push({ frame, isAllowed }) > MAX_HELD ? "full" : "held";
  }
}
