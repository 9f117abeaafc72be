import type { Canvas, LeftOut } from "@easel/protocol/types";
import { bounded, quoted, visibleLine } from "../untrusted.ts";
import { PUBLIC_NOTE } from "./public-link.ts";

/** The maximum numbers of warnings and of left-out files in an answer, and the maximum length of each. */
const SHOWN = 20;
const SHOWN_LENGTH = 300;

/** What a deploy has done. */
export interface Deployed {
  canvas: Canvas;
  version: string;
  state: "published" | "stored" | "unchanged";
  isNew: boolean;
  /** Whether the canvas was offline before. */
  wasOffline: boolean;
  /** The names of the settings of `easel.json` that have changed. */
  settings: string[];
  leftOut: LeftOut[];
  /** Warnings in the words of the service. */
  warnings: string[];
  /** Warnings about the files, with paths and contents of them, which other people may have written. */
  fileWarnings: string[];
}

const cut = (text: string): string =>
  text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH).toWellFormed()}…` : text;

/** Returns the first entries of a list, and how many more there are. */
const firstOf = (entries: string[]): string[] =>
  entries.length > SHOWN
    ? [...entries.slice(0, SHOWN).map(cut), `${entries.length - SHOWN} more`]
    : entries.map(cut);

/** Says what a deploy has done in a sentence. */
function sentenceOf({ canvas, version, state, isNew, wasOffline }: Deployed): string {
  const title = quoted(canvas.title);
  if (state === "unchanged") return `Nothing to deploy: version ${version} of ${title} has these files.`;
  if (state === "stored")
    return `${isNew ? `Created ${title} and stored` : "Stored"} version ${version}${isNew ? "" : ` of ${title}`} without publishing it: \`publish_version\` does.`;
  const at = `${title} at ${canvas.url}, version ${version}.`;
  if (isNew) return `Created ${at} Only its owner can open it.`;
  return `Published ${at}${wasOffline ? " The canvas was offline and is online again." : ""}`;
}

/**
 * Says what a deploy has done, line by line, with its warnings and the files that it left out, which are cut where there are many. Warnings with texts
 * of others are in a block.
 */
export function deployWords(deployed: Deployed): { lines: string[]; warnings: string[]; leftOut: string[] } {
  const { canvas, state, settings } = deployed;
  const [own, ofFiles] = [deployed.warnings, deployed.fileWarnings].map((list) =>
    firstOf([...new Set(list)]),
  ) as [string[], string[]];
  const leftOut = firstOf(deployed.leftOut.map(({ path, reason }) => `${quoted(path)} (${reason})`));
  const lines = [
    sentenceOf(deployed),
    ...(canvas.access === "public_link" && state === "published" ? [PUBLIC_NOTE] : []),
    ...(settings.length > 0 ? [`easel.json has set: ${settings.join(", ")}.`] : []),
    ...own.map((warning) => `Warning: ${warning}`),
    ...(ofFiles.length > 0
      ? [
          `Warnings about files:\n${bounded(ofFiles.map((warning) => `Warning: ${visibleLine(warning)}`).join("\n"))}`,
        ]
      : []),
    ...(leftOut.length > 0 ? [`Left out: ${leftOut.join(", ")}`] : []),
  ];
  return { lines, warnings: [...own, ...ofFiles], leftOut };
}
