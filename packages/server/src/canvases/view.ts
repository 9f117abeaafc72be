import type { RuntimePolicy } from "@easel/protocol/policy";
import type { AuthoredCanvas, Canvas, Json } from "@easel/protocol/types";
import { normalEmail, type User } from "../access/principal.ts";
import { manages } from "../access/roles.ts";
import type { Env } from "../env.ts";
import { refuse } from "../http/refusal.ts";
import { capabilitiesOf, reasonsOff } from "./capabilities.ts";
import {
  accessMode,
  legacyStatus,
  publicationStatus,
  publishedVersion,
  statusFieldsOf,
} from "./publication-status.ts";
import { listShared, type Shared, sharingRevision } from "./sharing.ts";
import { type CanvasRow, findCanvas, type ManagedRow } from "./store.ts";

/** The maximum number of names in the field `audienceSummary` of a canvas. */
const NAMES_SHOWN = 5;

const seesShared = (role: AuthoredCanvas["viewerRole"]) => role === "admin" || manages(role);

const stringOf = (metadata: AuthoredCanvas["metadata"], name: string): string | null => {
  const value = Object.hasOwn(metadata, name) ? metadata[name] : undefined;
  return typeof value === "string" ? value : null;
};

/** Returns the names of people and teams. Leaves out people who have never signed in, and names that are e-mail addresses. */
const namesOf = ({ people, teams }: Shared): string[] =>
  [...people, ...teams].flatMap(({ name }) => (name === null || normalEmail(name) !== null ? [] : [name]));

/** Converts a row to an `AuthoredCanvas` (specification 2). Both the management API and the authoring API return its fields. */
function authoredOf(row: ManagedRow, shared: Shared, { base, clock }: Env): AuthoredCanvas {
  const now = clock();
  const metadata = JSON.parse(row.metadata ?? "{}") as { [name: string]: Json };
  const status = statusFieldsOf(row);
  return {
    id: row.id,
    url: base.canvasUrl(row.slug),
    title: row.title,
    tags: JSON.parse(row.tags) as string[],
    access: row.access,
    accessMode: accessMode(row.access),
    publicationStatus: publicationStatus(status, now),
    hasPassword: row.password_hash !== null,
    status: legacyStatus(status, now),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    expiresAt: row.expires_at,
    galleryListed: row.gallery_listed === 1,
    galleryTemplatable: row.gallery_templatable === 1,
    discoverability: row.discoverability,
    revokedAt: row.revoked_at,
    createdBy: row.created_by,
    viewerRole: row.role,
    audienceSummary: {
      count: seesShared(row.role) ? shared.people.length + shared.teams.length : null,
      names: namesOf(shared).slice(0, NAMES_SHOWN),
    },
    version: publishedVersion(status),
    bundleUpdatedAt: row.updated_at,
    sourceApp: stringOf(metadata, "sourceApp"),
    sourceKind: stringOf(metadata, "sourceKind"),
    metadata,
  };
}

/**
 * Reads the people and teams with which canvases are shared. Returns a function that maps the row of a canvas to its people and teams. Both
 * lists are empty if the caller may not see them.
 */
async function sharedOf(rows: ManagedRow[], env: Env): Promise<(row: ManagedRow) => Shared> {
  const ids = rows.filter(({ role }) => seesShared(role)).map(({ id }) => id);
  const shared = ids.length === 0 ? null : await listShared(ids, env);
  return ({ id }) => shared?.get(id) ?? { people: [], teams: [] };
}

/** Converts the row of a canvas that is shared with nobody, such as a new one, to the canvas that the authoring API returns. */
export const unsharedView = (row: ManagedRow, env: Env): AuthoredCanvas =>
  authoredOf(row, { people: [], teams: [] }, env);

/**
 * Converts rows to canvases as the authoring API returns them. The field `role` of a row is the role of the caller. It decides which fields
 * have values: for example, viewers do not see with whom the canvas is shared.
 */
export async function authoredViews(rows: ManagedRow[], env: Env): Promise<AuthoredCanvas[]> {
  const shared = await sharedOf(rows, env);
  return rows.map((row) => authoredOf(row, shared(row), env));
}

/**
 * Converts rows to canvases as the management API returns them. The field `role` of a row is the role of the caller. It decides which
 * fields have values: for example, viewers do not see with whom the canvas is shared.
 */
export async function viewsFor(rows: CanvasRow[], env: Env): Promise<Canvas[]> {
  const shared = await sharedOf(rows, env);
  return rows.map((row) => ({
    ...authoredOf(row, shared(row), env),
    slug: row.slug,
    disabledReason: manages(row.role) ? row.disabled_reason : null,
    spa: row.spa === 1,
    owner: { id: row.owner_id, email: row.owner_email, name: row.owner_name },
    people: shared(row).people,
    teams: shared(row).teams,
    sharingRevision: seesShared(row.role) ? sharingRevision({ ...row, ...shared(row) }) : null,
    capabilities: capabilitiesOf(row),
    capabilitiesOff: reasonsOff({ capabilities: capabilitiesOf(row) }, env),
    runtimePolicy: row.runtime_policy === null ? null : (JSON.parse(row.runtime_policy) as RuntimePolicy),
    runtimePolicyRevision: row.runtime_policy_revision,
  }));
}

/**
 * Converts one row to a canvas as the management API returns it. The field `role` of the row is the role of the caller, as in `viewsFor`.
 */
export async function viewFor(row: CanvasRow, env: Env): Promise<Canvas> {
  const [view] = await viewsFor([row], env);
  return view as Canvas;
}

/**
 * Reads a canvas and converts it to its form in the management API, as `user` may see it. Throws 404 `NOT_FOUND` if the user has no role on
 * it.
 */
export async function currentView(id: string, user: User, env: Env): Promise<Canvas> {
  return viewFor((await findCanvas(id, user, env)) ?? refuse("NOT_FOUND"), env);
}
