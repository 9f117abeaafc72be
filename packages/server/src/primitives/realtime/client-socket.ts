import { CLOSE_CODES } from "@easel/protocol/realtime";
import { WebSocket } from "ws";

/** A WebSocket that tells of a message past the parser's limit before it sends the close frame. */
export class ClientSocket extends WebSocket {
  onTooLarge: () => void = () => {};

  override close(code?: number, reason?: string | Buffer): void {
    // The parser gives no reason; the answer to a peer's own close frame has one, if an empty one.
    if (code === CLOSE_CODES.tooLarge.code && reason === undefined) this.onTooLarge();
    super.close(code, reason);
  }
}
