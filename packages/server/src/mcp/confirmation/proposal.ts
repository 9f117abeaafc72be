import { hash } from "node:crypto";
import type { Canvas } from "@easel/protocol/types";
import type { Html } from "../../http/html.ts";
import type { ChangeInWords } from "../sharing/sharing-words.ts";
import type { Performer } from "../tool-call.ts";

/** What a tool is asked to do, as a ticket contains it. */
export interface Question {
  tool: "share_canvas" | "delete_canvas";
  /** The id of the canvas. */
  canvas: string;
  args: object;
}

/** What would happen now if a person allowed it, in words, and how it is done. */
export interface Proposal {
  canvas: Pick<Canvas, "title" | "url">;
  /** What the person is asked, such as "Share it with more people?". */
  heading: string;
  changes: ChangeInWords[];
  /** Sentences about what follows from it. */
  notes: string[];
  /** The revision of the state for which the proposal is. */
  revision: string;
  /** Does it. Returns what the person should know then. Throws a `Refusal` if it cannot be done or the state is another one. */
  perform(): Promise<Html | null>;
}

/** Returns what would happen now if the caller allowed a question. Throws a `Refusal` if the caller may not do it. Null: nothing would. */
export type Propose = (question: Question, by: Performer) => Promise<Proposal | null>;

/**
 * Returns a text that is another one if something else would happen, or if it were for another state. The notes do not count: numbers in them
 * may change all the time.
 */
export const shownBy = ({ canvas, heading, changes, revision }: Proposal): string =>
  hash("sha256", JSON.stringify([canvas.title, canvas.url, heading, changes, revision]), "base64url");
