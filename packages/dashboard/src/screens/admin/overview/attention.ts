import type { AttentionKind } from "../../../api/instance.ts";
import { countOf } from "../../../kit/words.ts";

/** What needs attention in words, the screen that shows it, and what to do there. */
interface Attention {
  words: (count: number) => string;
  todo: string;
  to: "/admin/people" | "/admin/canvases" | "/admin/connections";
}

export const ATTENTION: Record<AttentionKind, Attention> = {
  ownersDeactivated: {
    words: (count) =>
      count === 1
        ? "1 deactivated person still owns canvases"
        : `${countOf(count, "deactivated person", "deactivated people")} still own canvases`,
    todo: "At most editors can change these canvases, and nobody can delete them. Hand them over.",
    to: "/admin/people",
  },
  connectionKeys: {
    words: (count) => `${countOf(count, "Connection")} cannot open ${count === 1 ? "its" : "their"} headers`,
    todo: "The key of the service does not fit. Set SERVICE_ENCRYPTION_KEY to the former one, or give the headers again.",
    to: "/admin/connections",
  },
  connectionsFailing: {
    words: (count) => `${countOf(count, "Connection")} ${count === 1 ? "fails" : "fail"} half of the time`,
    todo: "At least half of the calls of today and yesterday have failed. Send a test call to see why.",
    to: "/admin/connections",
  },
  quotasNear: {
    words: (count) =>
      count === 1
        ? "1 person uses more than 90 % of a quota"
        : `${countOf(count, "person", "people")} use more than 90 % of a quota`,
    todo: "Their next deploys or uploads may be refused. Raise the quota, or let them tidy up.",
    to: "/admin/people",
  },
  sharesExpiring: {
    words: (count) =>
      `${countOf(count, "canvas", "canvases")} ${count === 1 ? "expires" : "expire"} within seven days`,
    todo: "Then only the owner and editors can open them. The owner can set a later date.",
    to: "/admin/canvases",
  },
};
