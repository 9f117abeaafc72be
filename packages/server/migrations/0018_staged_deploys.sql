-- A deploy whose files are uploaded one by one. files: the files to publish, as JSON. expects: 1 when expected_version must be live, null
-- for a canvas without a version. version_id: the version that it has published.
create table staged_deploys (
  id text primary key,
  canvas_id text not null references canvases (id),
  user_id text not null references users (id),
  created_at bigint not null,
  expires_at bigint not null,
  files text not null,
  expects integer not null,
  expected_version text,
  message text,
  version_id text
);
create index staged_deploys_of_canvas on staged_deploys (canvas_id, expires_at);
create index staged_deploys_by_expiry on staged_deploys (expires_at);

-- The distinct bytes of its files. held: 1 while it counts as a use of the canvas's blob, 0 while the blob is missing.
create table staged_blobs (
  deploy_id text not null references staged_deploys (id),
  blob_key text not null,
  size bigint not null,
  compressible integer not null,
  held integer not null default 0,
  primary key (deploy_id, blob_key)
);
