-- Switches are 0 or 1, times epoch milliseconds, tags and metadata JSON text.
create table canvases (
  id text primary key,
  slug text not null unique,
  title text not null,
  tags text not null default '[]',
  metadata text,
  owner_id text not null references users (id),
  created_by text not null references users (id),
  created_at bigint not null,
  updated_at bigint not null,
  version_id text,

  access text not null default 'private',
  password_hash text,
  expires_at bigint,
  revoked_at bigint,
  archived_at bigint,
  disabled_at bigint,
  disabled_reason text,
  deleted_at bigint,
  gallery_listed integer not null default 0,
  gallery_templatable integer not null default 0,
  discoverability text not null default 'link_only',

  backend_enabled integer not null default 0,
  kv integer not null default 1,
  files integer not null default 1,
  ai integer not null default 1,
  realtime integer not null default 1,
  authoring integer not null default 0,
  ai_audience text not null default 'editors',
  connections_audience text not null default 'editors',
  authoring_audience text not null default 'viewers',
  guest_ai integer not null default 0
);
create index canvases_of_owner on canvases (owner_id, id);

-- The people list: by address, since someone may be listed before their first sign-in.
create table canvas_people (
  canvas_id text not null references canvases (id),
  email text not null,
  role text not null,
  primary key (canvas_id, email)
);
create index canvas_people_by_email on canvas_people (email, canvas_id);

-- An immutable deployed bundle. replaced_at: when another version became the current one.
create table versions (
  id text primary key,
  canvas_id text not null references canvases (id),
  created_at bigint not null,
  created_by text not null references users (id),
  files integer not null,
  bytes bigint not null,
  replaced_at bigint
);
create index versions_of_canvas on versions (canvas_id, id);

-- The representations of a version's files: encoding is identity, br or gzip.
create table version_files (
  version_id text not null references versions (id),
  path text not null,
  encoding text not null,
  mime text not null,
  blob_key text not null,
  size bigint not null,
  primary key (version_id, path, encoding)
);
create index version_files_by_blob on version_files (blob_key);
