import type { Canvas } from "../api/types.ts";
import { dayOf } from "../kit/time-words.ts";

/** The state of a canvas in words, and how it looks: `good` opens for those it is shared with, `bad` needs somebody, `wait` is on its way. */
export interface CanvasState {
  text: string;
  look: "good" | "wait" | "bad";
}

type StateFields = Pick<Canvas, "publicationStatus" | "expiresAt">;

/** Returns the state of a canvas in words. */
export function stateOf({ publicationStatus, expiresAt }: StateFields): CanvasState {
  switch (publicationStatus) {
    case "published":
      return { text: "Online", look: "good" };
    case "draft":
      return { text: "Not online yet", look: "wait" };
    case "unpublished":
      return { text: "Taken offline", look: "wait" };
    case "archived":
      return { text: "Archived", look: "wait" };
    case "expired":
      return { text: expiresAt === null ? "Expired" : `Expired on ${dayOf(expiresAt)}`, look: "wait" };
    case "disabled":
      return { text: "Disabled by an administrator", look: "bad" };
  }
}

/** Who may open a canvas, in a few words. */
export function audienceOf({ access, hasPassword, audienceSummary }: Canvas): string {
  const password = hasPassword ? ", with a password" : "";
  if (access === "public_link") return `Anyone with the address${password}`;
  if (access === "whole_org") return `Everyone in the organisation${password}`;
  const { count } = audienceSummary;
  // A viewer does not see with whom else it is shared.
  if (count === null) return `You and others${password}`;
  return count === 0 ? "Only you" : `You and ${count} ${count === 1 ? "other" : "others"}${password}`;
}

/** Whether the caller changes the canvas: as its owner or an editor. */
export const isEditor = ({ viewerRole }: Pick<Canvas, "viewerRole">): boolean =>
  viewerRole === "owner" || viewerRole === "editor";
