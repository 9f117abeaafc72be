import { CLOSE_CODES } from "@easel/protocol/realtime";
import { WebSocket } from "ws";

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
