import { kindOf, type ValueKind } from "./values.ts";

/** What a setting that administrators change is called, and what it does. */
interface Naming {
  label: string;
  about: string;
}

const NAMES: Record<string, Naming> = {
  publicLinks: {
    label: "Public links",
    about:
      "Whether people may share canvases with everyone on the internet. Off closes all public links at once.",
  },
  "ai.models": {
    label: "AI models",
    about: "The models that pages may use, separated by commas. A model without a price is not offered.",
  },
  "ai.userDailyUsd": {
    label: "AI, one person on a day",
    about: "Further requests of the person wait until midnight UTC.",
  },
  "ai.canvasMonthlyUsd": {
    label: "AI, one canvas in a month",
    about: "Further requests of its pages wait until the next month.",
  },
  "ai.guestUsd": { label: "AI, one guest in all", about: "Then the guest has no AI any more." },
  "ai.instanceMonthlyUsd": {
    label: "AI, everyone in a month",
    about: "Further requests of all pages wait until the next month.",
  },
  "quotas.canvases.person": { label: "Canvases of a person", about: "Deleted ones do not count." },
  "quotas.bundles.bytes.person": {
    label: "Versions of a person's canvases",
    about: "All versions of all canvases of the person together.",
  },
  "quotas.files.bytes.person": {
    label: "Uploaded files of a person's canvases",
    about: "All files that pages have uploaded to the canvases of the person.",
  },
  "quotas.versions.canvas": {
    label: "Versions kept of a canvas",
    about: "The oldest one makes room for the next; the live one stays.",
  },
  "quotas.kv.keys.shared": { label: "Shared keys of a canvas", about: "" },
  "quotas.kv.keys.user": { label: "Own keys of a person on a canvas", about: "" },
  "quotas.collections.records.canvas": {
    label: "Records of a canvas",
    about: "In all its collections together.",
  },
  "quotas.submissions.canvas": { label: "Submissions of a canvas", about: "" },
  "quotas.submissions.author": { label: "Submissions of a person on a canvas", about: "" },
  "quotas.files.bytes.file": { label: "One uploaded file", about: "" },
  "quotas.files.bytes.canvas": { label: "Uploaded files of a canvas", about: "" },
};

/** Returns what a setting is called. One that this page does not know is called by its key. */
export const nameOf = (key: string): Naming & { kind: ValueKind } => ({
  ...(NAMES[key] ?? { label: key.replace(/^quotas\./, ""), about: "" }),
  kind: kindOf(key),
});

/** The keys that have a name, in the order in which they are shown. */
export const NAMED_KEYS: readonly string[] = Object.keys(NAMES);
