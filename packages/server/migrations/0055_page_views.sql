-- Views of the pages of canvases. Who opened a page is in none of these tables: a viewer is a pseudonym (organisation/view-counts.ts).
-- readable since: 0043

-- How often the pages of a canvas were opened on a day, by how many different people. day: days since 1970 in UTC.
create table page_views (
  canvas_id text not null references canvases (id),
  day bigint not null,
  views bigint not null,
  people bigint not null,
  primary key (canvas_id, day)
);
create index page_views_by_day on page_views (day);

-- The people who opened a page of a canvas in the last 30 days. day: the last one. `counts` has their number, as `viewers`.
create table page_viewers (
  canvas_id text not null references canvases (id),
  viewer text not null,
  day bigint not null,
  primary key (canvas_id, viewer)
);
create index page_viewers_by_day on page_viewers (day, canvas_id);

-- last_used_at: when a page of the canvas was last opened; 0 if it never was.
alter table canvases add column last_used_at bigint not null default 0;

-- The order of each list of canvases by use.
create index canvases_of_owner_by_use on canvases (owner_id, last_used_at, id) where deleted_at is null;
create index canvases_deleted_by_use on canvases (owner_id, last_used_at, id) where deleted_at is not null;
create index canvases_listed_by_use on canvases (last_used_at, id)
  where discoverability = 'listed' and access = 'whole_org' and deleted_at is null and archived_at is null
    and disabled_at is null and revoked_at is null and version_id is not null;
create index canvases_listed_of_org_by_use on canvases (org_id, last_used_at, id)
  where discoverability = 'listed' and access = 'whole_org' and deleted_at is null and archived_at is null
    and disabled_at is null and revoked_at is null and version_id is not null;
