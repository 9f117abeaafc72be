-- The lists of the home page, each last changed first: one's own canvases, and those listed for everyone or for an organisation.
create index canvases_of_owner_by_change on canvases (owner_id, updated_at, id) where deleted_at is null;
create index canvases_listed on canvases (updated_at, id)
  where discoverability = 'listed' and access = 'whole_org' and deleted_at is null and archived_at is null
    and disabled_at is null and revoked_at is null and version_id is not null;
create index canvases_listed_by_org on canvases (org_id, updated_at, id)
  where discoverability = 'listed' and access = 'whole_org' and deleted_at is null and archived_at is null
    and disabled_at is null and revoked_at is null and version_id is not null;
