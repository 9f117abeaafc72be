import type { RuntimePolicy } from "@easel/protocol/policy";
import { CLOSE_CODES, type FrameErrorCode } from "@easel/protocol/realtime";
import { WebSocket } from "ws";
import type { Admitted } from "../../pipeline/visit.ts";
import type { ErrorSubject } from "./frames.ts";

/**
 * A WebSocket that calls `onTooLarge` just before it closes because a message is larger than `maxPayload`, the limit of the `ws` parser.
 */
export class ClientSocket extends WebSocket {
  onTooLarge: () => void = () => {};

  override close(code?: number, reason?: string | Buffer): void {
    // Only the parser calls `close` without a reason. When a close frame of the peer is answered, the reason is at least an empty buffer.
    if (code === CLOSE_CODES.tooLarge.code && reason === undefined) this.onTooLarge();
    super.close(code, reason);
  }
}

/** The user of a connection, with the canvas, the role and the policy, as they were last read from the database. */
export interface AccessState extends Admitted {
  policy: RuntimePolicy;
}

/**
 * Authenticates the user of a connection again, and re-reads the user's role and the canvas's policy. Throws a `Refusal` if the user has
 * lost access.
 */
export type ReadAccess = () => Promise<AccessState>;

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
