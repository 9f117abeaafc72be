import type { HeaderSink } from "../rate-limit.ts";

/**
 * No page but those of the same origin may take an answer in as a picture, script or frame: it could not read it, but would
 * learn whether it was there. Who may read it asks by `Origin`.
 */
export function keepUnshown(answer: HeaderSink): void {
  answer.header("cross-origin-resource-policy", "same-origin");
  answer.header("x-frame-options", "DENY");
}
