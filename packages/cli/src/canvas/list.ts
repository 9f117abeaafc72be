import type { CanvasListName, CanvasSort, ListedCanvas } from "@easel/protocol/management";
import type { PublicationStatus } from "@easel/protocol/types";
import { bodyOf, connect, type Service } from "../api/service.ts";
import type { Context } from "../context.ts";
import { clean } from "../terminal/clean.ts";
import { formatTime, isoTime } from "../terminal/format.ts";
import type { Column } from "../terminal/table.ts";

/** The flags of `easel list` that select canvases. */
interface Selection {
  search?: string;
  list?: CanvasListName;
  state?: PublicationStatus;
  tag?: string;
  sort?: CanvasSort;
  deleted?: boolean;
}

/** The flags of `easel list`. */
export interface ListOptions extends Selection {
  url?: string;
  quiet?: boolean;
}

/** Reads all canvases of the caller that the flags select. With `deleted`, reads the deleted ones instead. */
export async function readCanvases(
  { search, list, state, tag, sort, deleted = false }: Selection,
  { api }: Service,
): Promise<ListedCanvas[]> {
  const canvases: ListedCanvas[] = [];
  let cursor: string | undefined;
  do {
    const query = {
      deleted: deleted ? ("true" as const) : ("false" as const),
      ...(search === undefined ? {} : { q: search }),
      ...(list === undefined ? {} : { list }),
      ...(state === undefined ? {} : { state }),
      ...(tag === undefined ? {} : { tag }),
      ...(sort === undefined ? {} : { sort }),
      ...(cursor === undefined ? {} : { cursor }),
    };
    const page = await bodyOf(api.GET("/api/canvases", { params: { query } }));
    canvases.push(...(page.canvases as ListedCanvas[]));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return canvases;
}

/** Returns the access of a canvas as the API names it, such as `private` or `public_link + password`. */
export const accessOf = ({ access, hasPassword }: Pick<ListedCanvas, "access" | "hasPassword">): string =>
  hasPassword ? `${access} + password` : access;

const COLUMNS: Column<ListedCanvas>[] = [
  { title: "SLUG", cell: ({ slug }) => slug },
  { title: "TITLE", cell: ({ title }) => title, flexible: true },
  { title: "ACCESS", cell: accessOf },
  { title: "STATUS", cell: ({ publicationStatus }) => publicationStatus },
  { title: "ROLE", cell: ({ viewerRole }) => viewerRole },
];

const CHANGED: Column<ListedCanvas> = { title: "CHANGED", cell: ({ updatedAt }) => formatTime(updatedAt) };

/** How canvases are used, which is known of those that the caller owns or edits. Older services do not tell. */
const USE: Column<ListedCanvas>[] = [
  { title: "LAST USED", cell: ({ lastUsedAt }) => (lastUsedAt ? formatTime(lastUsedAt) : "") },
  { title: "PEOPLE IN 30 DAYS", cell: ({ people30 }) => (people30 == null ? "" : String(people30)) },
];

const DELETED_COLUMNS: Column<ListedCanvas>[] = [
  { title: "SLUG", cell: ({ slug }) => slug },
  { title: "TITLE", cell: ({ title }) => title, flexible: true },
  { title: "DELETED", cell: ({ deletedAt = 0 }) => formatTime(deletedAt) },
  { title: "REMOVED FOR GOOD", cell: ({ purgeAt = 0 }) => formatTime(purgeAt) },
];

const summaryOf = (canvas: ListedCanvas) => ({
  id: canvas.id,
  slug: canvas.slug,
  title: canvas.title,
  url: canvas.url,
  access: canvas.access,
  hasPassword: canvas.hasPassword,
  status: canvas.publicationStatus,
  role: canvas.viewerRole,
  version: canvas.version,
  createdAt: isoTime(canvas.createdAt),
  updatedAt: isoTime(canvas.updatedAt),
  lastUsedAt: canvas.lastUsedAt ? isoTime(canvas.lastUsedAt) : null,
  people30: canvas.people30 ?? null,
  ...(canvas.deletedAt === undefined ? {} : { deletedAt: isoTime(canvas.deletedAt) }),
  ...(canvas.purgeAt === undefined ? {} : { purgeAt: isoTime(canvas.purgeAt) }),
});

/** Prints the canvases of the caller as a table or as slugs alone. */
export async function list(options: ListOptions, context: Context): Promise<void> {
  const { terminal } = context;
  const service = await connect({ url: options.url, folder: context.cwd }, context);
  const canvases = await readCanvases(options, service);
  terminal.result(canvases.map(summaryOf), () => {
    if (options.quiet) return canvases.map(({ slug }) => `${clean(slug)}\n`).join("");
    if (canvases.length === 0) {
      terminal.say(
        options.search !== undefined
          ? `No canvas has \`${clean(options.search)}\` in its title or slug.`
          : options.deleted
            ? "No deleted canvas can be restored."
            : options.list !== undefined || options.state !== undefined || options.tag !== undefined
              ? "There is no such canvas."
              : `You have no canvas at ${service.url}.`,
      );
      return "";
    }
    if (options.deleted) return terminal.table(canvases, DELETED_COLUMNS);
    return terminal.table(canvases, [...COLUMNS, ...(options.sort === "used" ? USE : [CHANGED])]);
  });
}
