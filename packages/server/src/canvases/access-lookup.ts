import type { Capabilities } from "@easel/protocol/types";
import type { AccessFields } from "../access/ladder.ts";
import { domainOf } from "../access/principal.ts";
import type { Dependent } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { isSlug } from "../http/canvas-path.ts";
import { capabilitiesOf, type SwitchColumns } from "./capabilities.ts";
import { publicLinksOn } from "./publishing/sharing-settings.ts";
import type { CanvasRow } from "./store.ts";

/** The fields of a canvas that every request needs: access rules and capabilities. */
export interface Canvas extends AccessFields {
  slug: string;
  versionId: string | null;
  revokedAt: number | null;
  /** Whether navigations to paths without a file get `index.html`. */
  spa: boolean;
  /** The id of the last change of the policy document, or null if there has never been a document. */
  policyRevision: string | null;
  /** The current phases of collections and file groups, as JSON text (`phases.ts`); null if all are in none. */
  phases: string | null;
  capabilities: Capabilities;
}

type Shared =
  | "id"
  | "slug"
  | "owner_id"
  | "version_id"
  | "access"
  | "password_hash"
  | "expires_at"
  | "revoked_at"
  | "archived_at"
  | "disabled_at"
  | "spa";

type Row = Pick<CanvasRow, Shared | keyof SwitchColumns> &
  Dependent & {
    deleted_at: number | null;
    granted: "editor" | "viewer" | null;
    org_id: string | null;
    runtime_policy_revision: string | null;
    phases: string | null;
    viewer_org: string | null;
    owner_may_publish: number;
    public_links: string | null;
  };

/**
 * Reads a canvas by its slug, together with the role that the canvas's people list or teams grant to `email`. `email` is the verified
 * e-mail address of the caller, or null if there is none. Returns null if no canvas has the slug.
 */
export async function findForAccess(slug: string, email: string | null, env: Env): Promise<Canvas | null> {
  if (!isSlug(slug)) return null;
  const row = await env.db.getCached<Row>`
    select canvases.id, slug, owner_id, version_id, access, password_hash, expires_at, revoked_at, archived_at,
      disabled_at, deleted_at, spa, backend_enabled, kv, files, ai, realtime, authoring, ai_audience,
      connections_audience, authoring_audience, guest_ai, users.can_publish_public as owner_may_publish, org_id, runtime_policy_revision, phases,
      (select role from roles
        where canvas_id = (select id from canvases where slug = ${slug}) and roles.email = ${email}) as granted,
      (select org_id from org_domains where domain = ${email && domainOf(email)}) as viewer_org,
      (select value from instance_settings where name = 'publicLinks') as public_links,
      'canvas ' || canvases.id || ',instance' as depends_on
    from canvases join users on users.id = canvases.owner_id
    where slug = ${slug}`;
  if (row === undefined) return null;
  return {
    id: row.id,
    slug: row.slug,
    ownerId: row.owner_id,
    versionId: row.version_id,
    access: row.access,
    granted: row.granted,
    inOrg: !env.config.tenancy || (row.viewer_org !== null && row.viewer_org === row.org_id),
    publicLinks: publicLinksOn(row.public_links, env) && row.owner_may_publish === 1,
    passwordHash: row.password_hash,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    spa: row.spa === 1,
    policyRevision: row.runtime_policy_revision,
    phases: row.phases,
    archivedAt: row.archived_at,
    disabledAt: row.disabled_at,
    deletedAt: row.deleted_at,
    capabilities: capabilitiesOf(row),
  };
}
