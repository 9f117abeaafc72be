-- One answer per person and collection. value: JSON text.
create table submissions (
  canvas_id text not null,
  collection text not null,
  user_id text not null,
  value text not null,
  updated_at bigint not null,
  primary key (canvas_id, collection, user_id)
);
create index submissions_of_user on submissions (canvas_id, user_id);

-- Records of authored collections. A number lives in "number" and everything else, as JSON text, in "value".
create table records (
  id text primary key,
  canvas_id text not null,
  collection text not null,
  author_id text not null,
  value text,
  number double precision,
  created_at bigint not null,
  updated_at bigint not null
);
create index records_of_collection on records (canvas_id, collection, id);
create index records_of_author on records (canvas_id, collection, author_id, id);
create index records_by_update on records (canvas_id, collection, updated_at, id);

-- What records can be found by: each scalar field of an object at its top, and the author. name, key: bytes, so that their
-- order is that of the values (see primitives/collections/fields.ts).
create table record_fields (
  canvas_id text not null,
  collection text not null,
  name bytea not null,
  key bytea not null,
  record_id text not null references records (id) on delete cascade,
  primary key (canvas_id, collection, name, key, record_id)
);
create index record_fields_of_record on record_fields (record_id, name);

-- How many submissions or records a canvas holds; changed in the batch that adds or removes one, and first: it is the lock.
create table counts (
  canvas_id text not null,
  kind text not null,
  rows bigint not null,
  primary key (canvas_id, kind)
);
