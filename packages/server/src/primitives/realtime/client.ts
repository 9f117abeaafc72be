import type { FrameErrorCode } from "@easel/protocol/realtime";
import type { AccessState } from "./access-state.ts";
import type { ErrorSubject } from "./frames.ts";

/** A connected client, as its channels and watches see it. */
export interface Client {
  /** Unique over nodes. */
  readonly id: string;
  /** The lease of the node, under which everything is taken on the bus. */
  readonly lease: string;
  readonly access: AccessState;
  /** Sends the text of a frame. */
  send(text: string): void;
  /** Sends an `error` frame. */
  sendError(code: FrameErrorCode, subject: ErrorSubject): void;
  /** Sends a frame once no check of access is pending, if `isAllowed` returns true at that moment. */
  deliver(frame: Buffer, isAllowed: () => boolean): void;
}
