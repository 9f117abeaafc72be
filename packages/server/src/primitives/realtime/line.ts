import type { RuntimePolicy } from "@easel/protocol/policy";
import type { FrameErrorCode } from "@easel/protocol/realtime";
import type { Admitted } from "../../pipeline/visit.ts";
import type { About } from "./frames.ts";

/** Who a visitor is and what they may do, as it was last looked up. */
export interface Standing extends Admitted {
  policy: RuntimePolicy;
  /** When what identifies the visitor ends to count, in epoch milliseconds, as far as that is known. */
  until: number;
}

/** Looks again: the answer is as fresh as that of a new request. @throws Refusal when the visitor may not be here. */
export type Look = () => Promise<Standing>;

/** A connection, as what goes over it sees it. */
export interface Line {
  /** Unique over nodes. */
  readonly id: string;
  /** The lease of the node, under which everything is taken on the bus. */
  readonly lease: string;
  readonly standing: Standing;
  /** Sends the text of a frame. */
  send(text: string): void;
  /** Sends an `error` frame. */
  refuse(code: FrameErrorCode, about: About): void;
  /** Sends a frame as soon as it is certain that the visitor may still be here, if `isDue` then. */
  deliver(frame: Buffer, isDue: () => boolean): void;
}
