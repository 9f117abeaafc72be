import type { Version } from "@easel/protocol/types";
import { type CanvasOptions, findCanvas } from "../api/find-canvas.ts";
import { bodyOf, type Service } from "../api/service.ts";
import type { Context } from "../context.ts";
import { fail } from "../exit.ts";
import { clean } from "../terminal/clean.ts";
import { formatBytes, formatTime, isoTime } from "../terminal/format.ts";
import type { Column } from "../terminal/table.ts";

/** Reads the versions of a canvas, newest first. */
export async function readVersions(id: string, { api }: Service): Promise<Version[]> {
  const path = { id };
  return (await bodyOf(api.GET("/api/canvases/{id}/versions", { params: { path } }))).versions as Version[];
}

/**
 * Returns the version with a given id. A unique prefix or suffix of the id is enough if it has at least 4 characters. Throws a `Failure` if
 * no version or several versions match.
 */
export function pickVersion(versions: Version[], given: string): Version {
  const same = versions.find(({ id }) => id === given);
  const similar =
    given.length < 4 ? [] : versions.filter(({ id }) => id.startsWith(given) || id.endsWith(given));
  const [found] = similar;
  if (same !== undefined) return same;
  if (found !== undefined && similar.length === 1) return found;
  return fail(
    similar.length > 1
      ? `Several versions match \`${clean(given)}\`.`
      : `There is no version \`${clean(given)}\`.`,
    { exit: similar.length > 1 ? "usage" : "denied", hint: "`easel versions` lists them." },
  );
}

const changesOf = ({ changed }: Version) =>
  changed === null ? "" : `+${changed.added} ~${changed.changed} -${changed.removed}`;

/** The number of characters in a short id. */
const SHORT_LENGTH = 12;
/** Returns the end of an id, which is random. `pickVersion` accepts it. */
export const shortId = (id: string) => id.slice(-SHORT_LENGTH);

/** Describes a version in words: its short id, by whom and when it was deployed, and its message. */
export function describe({ id, createdByName, createdAt, message }: Version): string {
  const said = message === null ? "" : ` (“${clean(message)}”)`;
  return `version ${shortId(id)}, deployed by ${clean(createdByName)} ${formatTime(createdAt)}${said}`;
}

const COLUMNS: Column<Version>[] = [
  { title: "", cell: ({ current }) => (current ? "*" : "") },
  { title: "VERSION", cell: ({ id }) => shortId(id) },
  { title: "DEPLOYED", cell: ({ createdAt }) => formatTime(createdAt) },
  { title: "BY", cell: ({ createdByName }) => createdByName, flexible: true },
  { title: "FILES", cell: ({ files }) => String(files), align: "right" },
  { title: "SIZE", cell: ({ bytes }) => formatBytes(bytes), align: "right" },
  { title: "CHANGED", cell: changesOf },
  {
    title: "MESSAGE",
    cell: ({ message, published }) =>
      [published === false ? "not published" : "", message ?? ""].filter((text) => text !== "").join(": "),
    flexible: true,
  },
];

/** Prints the versions of a canvas, newest first. The published one is marked. */
export async function versions(options: CanvasOptions, context: Context): Promise<void> {
  const { terminal } = context;
  const { service, canvas } = await findCanvas(options, context);
  const found = await readVersions(canvas.id, service);
  terminal.result(
    found.map((version) => ({ ...version, createdAt: isoTime(version.createdAt) })),
    () => {
      if (found.length > 0) return terminal.table(found, COLUMNS);
      terminal.say(`${clean(canvas.slug)} was never deployed.`);
      return "";
    },
  );
}
