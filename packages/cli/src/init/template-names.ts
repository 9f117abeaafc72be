/** The names of the templates, the simplest first. `build.ts` copies each of them into the package. */
export const TEMPLATES = [
  "minimal",
  "guestbook",
  "counter",
  "survey",
  "board",
  "cursors",
  "photo-wall",
  "assistant",
] as const;

export type TemplateName = (typeof TEMPLATES)[number];
