import type { RuntimePolicy } from "../policy.ts";
import type { Access, Canvas, Capabilities, CapabilitiesOff, PublicationStatus, Version } from "../types.ts";

/** The lists of canvases: those that the caller owns, those shared with them, those listed for their organisation, and those they have deleted. */
export const CANVAS_LISTS = ["mine", "shared", "organisation", "trash"] as const;
export type CanvasListName = (typeof CANVAS_LISTS)[number];

/** The orders of canvases: the last use first, the last change first, the newest first, or by title. */
export const CANVAS_SORTS = ["used", "updated", "created", "title"] as const;
export type CanvasSort = (typeof CANVAS_SORTS)[number];

/** A canvas in a list. `deletedAt` and `purgeAt` are present only in the list of deleted canvases. */
export interface ListedCanvas extends Canvas {
  /**
   * The time at which somebody opened a page of the canvas the last time, at most half a minute late. Null if nobody has, for callers who are
   * neither owner nor editor, and if the instance counts no views.
   */
  lastUsedAt: number | null;
  /**
   * The number of different people who opened the canvas in the last 30 days, without those who had not signed in. Null for callers who are
   * neither owner nor editor, and if the instance counts no views.
   */
  people30: number | null;
  deletedAt?: number | undefined;
  /** The time until which the owner can restore the canvas. */
  purgeAt?: number | undefined;
}

/** The response of `GET /api/canvases`; `nextCursor` is null on the last page. */
export interface CanvasList {
  canvases: ListedCanvas[];
  nextCursor: string | null;
}

/** The response of `PATCH /api/canvases/{id}/capabilities`. */
export interface CapabilitySettings {
  capabilities: Capabilities;
  capabilitiesOff: CapabilitiesOff;
  runtimePolicy: RuntimePolicy | null;
  runtimePolicyRevision: string | null;
}

/** The response of `GET /api/canvases/{id}/versions`, newest first. */
export interface VersionList {
  versions: Version[];
}

/** A canvas as administrators see it: without content, people, metadata or policy. */
export interface AdminCanvas {
  id: string;
  slug: string;
  url: string;
  title: string;
  owner: { id: string; email: string; name: string };
  access: Access;
  accessMode: Canvas["accessMode"];
  publicationStatus: PublicationStatus;
  createdAt: number;
  updatedAt: number;
  expiresAt: number | null;
  hasPassword: boolean;
  archivedAt: number | null;
  disabledAt: number | null;
  disabledReason: string | null;
  deletedAt: number | null;
  version: string | null;
}

/** The response of `GET /api/admin/canvases`; `nextCursor` is null on the last page. */
export interface AdminCanvasList {
  canvases: AdminCanvas[];
  nextCursor: string | null;
}
