import type { FrameErrorCode } from "@easel/protocol/realtime";
import type { AccessState } from "./access-state.ts";
import type { ErrorSubject } from "./frames.ts";

/** The part of a `Connection` that its channels and watches use. */
export interface Client {
  /** The id of the connection, unique among the connections of all nodes. */
  readonly id: string;
  /** The id of this node's lease on the bus. When the lease expires, the bus removes the presence of the node's connections. */
  readonly lease: string;
  readonly access: AccessState;
  /** Sends a text frame with this content. */
  send(text: string): void;
  /** Sends an `error` frame. */
  sendError(code: FrameErrorCode, subject: ErrorSubject): void;
  /**
   * Sends an encoded frame. If the user's access is being rechecked, waits for the end of the recheck. Drops the frame if `isAllowed`
   * returns false at the time of sending.
   */
  deliver(frame: Buffer, isAllowed: () => boolean): void;
}
