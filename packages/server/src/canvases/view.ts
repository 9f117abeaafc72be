import type { RuntimePolicy } from "@easel/protocol/policy";
import type { Canvas, Json } from "@easel/protocol/types";
import type { User } from "../access/principal.ts";
import { manages } from "../access/roles.ts";
import type { Env } from "../env.ts";
import { refuse } from "../http/refusal.ts";
import { capabilitiesOf } from "./capabilities.ts";
import { accessMode, legacyStatus, publicationStatus, statusFieldsOf } from "./publication-status.ts";
import { listPeople, listTeamsOf, type PersonEntry, type TeamEntry } from "./sharing.ts";
import { type CanvasRow, findCanvas } from "./store.ts";

const stringOf = (metadata: Canvas["metadata"], name: string): string | null => {
  const value = metadata !== null && Object.hasOwn(metadata, name) ? metadata[name] : undefined;
  return typeof value === "string" ? value : null;
};

/** Converts a row to a canvas of the API. Only the owner and editors see the people and teams that it is shared with. */
function viewOf(
  row: CanvasRow,
  allPeople: PersonEntry[],
  allTeams: TeamEntry[],
  { base, clock }: Env,
): Canvas {
  const now = clock();
  const metadata = row.metadata === null ? null : (JSON.parse(row.metadata) as { [name: string]: Json });
  const living = statusFieldsOf(row);
  const people = manages(row.role) ? allPeople : [];
  const teams = manages(row.role) ? allTeams : [];
  const named = [...people.map(({ email }) => email), ...teams.map(({ name }) => name)];
  return {
    id: row.id,
    slug: row.slug,
    url: base.canvasUrl(row.slug),
    title: row.title,
    tags: JSON.parse(row.tags) as string[],
    access: row.access,
    accessMode: accessMode(row.access),
    publicationStatus: publicationStatus(living, now),
    hasPassword: row.password_hash !== null,
    status: legacyStatus(living, now),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    expiresAt: row.expires_at,
    galleryListed: row.gallery_listed === 1,
    galleryTemplatable: row.gallery_templatable === 1,
    discoverability: row.discoverability,
    revokedAt: row.revoked_at,
    disabledReason: manages(row.role) ? row.disabled_reason : null,
    createdBy: row.created_by,
    viewerRole: row.role,
    audienceSummary: {
      count: manages(row.role) ? named.length : null,
      names: named.slice(0, 5),
    },
    version: row.version_id,
    bundleUpdatedAt: row.updated_at,
    sourceApp: stringOf(metadata, "sourceApp"),
    sourceKind: stringOf(metadata, "sourceKind"),
    metadata,
    owner: { id: row.owner_id, email: row.owner_email, name: row.owner_name },
    people,
    teams,
    capabilities: capabilitiesOf(row),
    runtimePolicy: row.runtime_policy === null ? null : (JSON.parse(row.runtime_policy) as RuntimePolicy),
    runtimePolicyRevision: row.runtime_policy_revision,
  };
}

/** Converts rows to canvases of the API, for the caller whose role they contain. */
export async function viewsFor(rows: CanvasRow[], env: Env): Promise<Canvas[]> {
  const managed = rows.filter(({ role }) => manages(role)).map(({ id }) => id);
  const [people, teams] = await Promise.all([listPeople(managed, env), listTeamsOf(managed, env)]);
  return rows.map((row) => viewOf(row, people.get(row.id) ?? [], teams.get(row.id) ?? [], env));
}

/** Converts one row to a canvas of the API, for the caller whose role it contains. */
export async function viewFor(row: CanvasRow, env: Env): Promise<Canvas> {
  const [view] = await viewsFor([row], env);
  return view as Canvas;
}

/** Reads a canvas and converts it for a user. Throws 404 `NOT_FOUND` if the user has no role on it. */
export async function currentView(id: string, user: User, env: Env): Promise<Canvas> {
  return viewFor((await findCanvas(id, user, env)) ?? refuse("NOT_FOUND"), env);
}
