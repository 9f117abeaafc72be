import { CLOSE_CODES } from "@easel/protocol/realtime";
import { WebSocket } from "ws";

/** A WebSocket that calls `onTooLarge` before it is closed because a message exceeds the parser's limit. */
export class ClientSocket extends WebSocket {
  onTooLarge: () => void = () => {};

  override close(code?: number, reason?: string | Buffer): void {
    // Only the parser gives no reason: in the reply to a peer's close frame it is at least empty.
    if (code === CLOSE_CODES.tooLarge.code && reason === undefined) this.onTooLarge();
    super.close(code, reason);
  }
}
