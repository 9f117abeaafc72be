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
   * Buffers a frame if a check of access is pending; `release` returns the frame later if `isAllowed` returns true at that time. Returns
   * `pass` if no check is pending and the frame may be sent at once, and `full` if too many frames are buffered.
   */
  add(frame: Buffer, isAllowed: () => boolean): "pass" | "held" | "full" {
    if (this.#pendingChecks === 0) return "pass";
    return this.#frames.push({ frame, isAllowed }) > MAX_HELD ? "full" : "held";
  }
}
