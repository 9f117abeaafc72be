-- Uploaded files that have been removed, while their bytes may still be stored. file_bytes.removed is the sum of their sizes for a canvas, which
-- the quotas count.
-- readable since: 0043

create table removed_files (
  id text primary key,
  canvas_id text not null,
  blob_key text not null,
  size bigint not null,
  removed_at bigint not null
);
create index removed_files_of_canvas on removed_files (canvas_id);
create index removed_files_by_time on removed_files (removed_at);

alter table file_bytes add column removed bigint not null default 0;
