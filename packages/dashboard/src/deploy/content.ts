import { beginsLikePage } from "@easel/protocol/bundle";
import { LIMITS } from "@easel/protocol/limits";
import { selectFiles } from "@easel/server/bundle-files";
import type { EaselJson } from "@easel/server/easel-json";
import { rootAddressWarnings, SEARCHED_BYTES } from "@easel/server/root-addresses";
import { bytesOf } from "../kit/bytes.ts";
import { titleIn } from "./naming.ts";
import { BadOffer, type LeftOutPath, type Offer, type OfferedFile } from "./offered.ts";

/** What a deploy will publish, as it is known before it is sent. */
export interface Content {
  /** The name of the folder or file; empty if there is none. */
  name: string;
  /** The title of the start page; empty if it has none. */
  pageTitle: string;
  /** A zip is read by the service, so its files are not known before. */
  body: { kind: "zip"; file: Blob } | { kind: "files"; files: OfferedFile[] };
  bytes: number;
  leftOut: LeftOutPath[];
  warnings: string[];
  /** The settings in the `easel.json` of the folder; null if it has none, or a faulty one. */
  settings: EaselJson | null;
}

const REASONS = { dot_file: "hidden", litter: "made by a file manager" };

/** The number of bytes at the start of a file by which it is recognized. */
const SNIFFED_BYTES = 1024;
/** The maximum size of an `easel.json` that is read, in bytes. */
const MAX_SETTINGS_BYTES = 64 * 1024;

const startOf = (file: Blob, bytes: number): Promise<string> => file.slice(0, bytes).text();

async function zipContent(name: string, file: Blob): Promise<Content> {
  const { value: max } = LIMITS.bundleBytes;
  if (file.size > max)
    throw new BadOffer(
      `The zip has ${bytesOf(file.size)}; a zip may have ${bytesOf(max)}.`,
      "Unpack it and choose the folder, which may be larger.",
    );
  if (!(await startOf(file, 4)).startsWith("PK"))
    throw new BadOffer("This file is not a zip, whatever its name says.");
  return {
    name,
    pageTitle: "",
    body: { kind: "zip", file },
    bytes: file.size,
    leftOut: [],
    warnings: [],
    settings: null,
  };
}

/** Throws a `BadOffer` if files are too large together, and names the largest. */
function requireSize(files: readonly OfferedFile[]): void {
  const { value: max } = LIMITS.bundleUnpackedBytes;
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (bytes <= max) return;
  const largest = files.reduce((a, b) => (b.size > a.size ? b : a));
  throw new BadOffer(
    `The files have ${bytesOf(bytes)} together; a canvas may have ${bytesOf(max)}.`,
    `The largest is ${largest.path}, with ${bytesOf(largest.size)}.`,
  );
}

/** A single file becomes the start page, so it must be a page. */
async function asStartPage(offered: OfferedFile): Promise<OfferedFile> {
  if (!beginsLikePage(await startOf(offered.file, SNIFFED_BYTES)))
    throw new BadOffer(
      `${offered.path} is not an HTML page.`,
      "Choose a folder with an index.html, a zip of it, or one HTML file.",
    );
  return { ...offered, path: "index.html" };
}

/** Reads the `easel.json` of files. Its schema is loaded only if there is one. */
async function settingsOf(
  files: readonly OfferedFile[],
): Promise<{ settings: EaselJson | null; faults: string[] }> {
  const found = files.find(({ path }) => path === "easel.json");
  if (found === undefined) return { settings: null, faults: [] };
  if (found.size > MAX_SETTINGS_BYTES)
    return { settings: null, faults: ["`easel.json` is larger than 64 KiB, so it is not applied."] };
  const [text, { easelJson, faultsOf }] = await Promise.all([found.file.text(), import("./easel-json.ts")]);
  const faults = faultsOf(text).map((fault) => `\`easel.json\` is not applied: ${fault}.`);
  return { settings: faults.length > 0 ? null : easelJson.parse(JSON.parse(text)), faults };
}

/** Converts a refusal by the rules of the service to a `BadOffer`. */
const asBadOffer = (error: Error): never => {
  if (!("status" in error)) throw error;
  throw new BadOffer(error.message);
};

/**
 * Returns what a deploy of an offer publishes, by the rules of the service. Throws a `BadOffer` if that is impossible. `urlMode` is that of
 * the instance: in path mode, addresses from the root of the host lead out of the canvas.
 */
export async function contentOf(offer: Offer, urlMode: "path" | "subdomain"): Promise<Content> {
  if (offer.kind === "zip") return zipContent(offer.name, offer.file);
  const [only, ...more] = offer.files;
  if (only === undefined)
    throw new BadOffer(
      offer.leftOut.length > 0 ? "All files here are left out." : "There are no files here.",
      "Choose a folder with an index.html.",
    );
  const isPage = more.length === 0 && !only.path.includes("/");
  const offered = isPage ? [await asStartPage(only)] : offer.files;
  requireSize(offered);
  const { files, leftOut, warnings } = await selectFiles(offered).catch(asBadOffer);
  const index = files.find(({ path }) => path === "index.html");
  const html = index === undefined ? "" : await startOf(index.file, SEARCHED_BYTES);
  const { settings, faults } = await settingsOf(files);
  const paths = files.map(({ path }) => path);
  const litter = leftOut.map(({ path, reason }) => ({ path, files: null, reason: REASONS[reason] }));
  return {
    name: offer.name,
    pageTitle: titleIn(html),
    body: { kind: "files", files },
    bytes: files.reduce((sum, { size }) => sum + size, 0),
    leftOut: [...offer.leftOut, ...litter],
    warnings: [...warnings, ...(urlMode === "path" ? rootAddressWarnings(html, paths) : []), ...faults],
    settings,
  };
}
