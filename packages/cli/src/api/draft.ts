import type { Canvas } from "@easel/protocol/types";

/** Whether a canvas has never been published. One that was unpublished has no published version either, but it is no draft. */
export const isDraft = ({ version, revokedAt }: Pick<Canvas, "version" | "revokedAt">): boolean =>
  version === null && revokedAt === null;
