-- The orders of each list of canvases: by creation, by the last change, and by title.
-- readable since: 0043
create index canvases_of_owner_by_creation on canvases (owner_id, created_at, id) where deleted_at is null;
create index canvases_of_owner_by_title on canvases (owner_id, title_key, id) where deleted_at is null;

create index canvases_deleted_by_creation on canvases (owner_id, created_at, id) where deleted_at is not null;
create index canvases_deleted_by_change on canvases (owner_id, updated_at, id) where deleted_at is not null;
create index canvases_deleted_by_title on canvases (owner_id, title_key, id) where deleted_at is not null;

create index canvases_listed_by_creation on canvases (created_at, id)
  where discoverability = 'listed' and access = 'whole_org' and deleted_at is null and archived_at is null
    and disabled_at is null and revoked_at is null and version_id is not null;
create index canvases_listed_by_title on canvases (title_key, id)
  where discoverability = 'listed' and access = 'whole_org' and deleted_at is null and archived_at is null
    and disabled_at is null and revoked_at is null and version_id is not null;
create index canvases_listed_of_org_by_creation on canvases (org_id, created_at, id)
  where discoverability = 'listed' and access = 'whole_org' and deleted_at is null and archived_at is null
    and disabled_at is null and revoked_at is null and version_id is not null;
create index canvases_listed_of_org_by_title on canvases (org_id, title_key, id)
  where discoverability = 'listed' and access = 'whole_org' and deleted_at is null and archived_at is null
    and disabled_at is null and revoked_at is null and version_id is not null;
