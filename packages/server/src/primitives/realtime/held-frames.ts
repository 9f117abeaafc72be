interface HeldFrame {
  frame: Buffer;
  isAllowed: () => boolean;
}

/** The maximum number of frames that a connection buffers while the user's access is rechecked. */
const MAX_HELD = 4_096;

/** Buffers outgoing frames of a connection while the user's access is rechecked. */
export class HeldFrames {
  #pendingChecks = 0;
  #frames: HeldFrame[] = [];

  get isHolding(): boolean {
    return this.#pendingChecks > 0;
  }

  /** Starts to buffer frames, because a check of access begins. Each call must be followed by one call of `release`. */
  hold(): void {
    this.#pendingChecks++;
  }

  /** Called when a check of access ends. Returns the buffered frames that are still allowed, or none while another check is pending. */
  release(): Buffer[] {
    if (--this.#pendingChecks > 0) return [];
    const frames = this.#frames;
    this.#frames = [];
    return frames.filter(({ isAllowed }) => isAllowed()).map(({ frame }) => frame);
  }

  /**
   * Returns `pass` if no check of access is pending: the caller may then send the frame. Otherwise buffers the frame and returns `held`, or
   * `full` if too many frames are buffered. `release` returns a buffered frame only if `isAllowed` returns true by then.
   */
  add(frame: Buffer, isAllowed: () => boolean): "pass" | "held" | "full" {
    if (this.#pendingChecks === 0) return "pass";
    return this.#frames.push({ frame, isAllowed }) > MAX_HELD ? "full" : "held";
  }
}
