-- scope: empty for the shared one, otherwise the viewer's user id. key: UTF-8, so that its order is that of its bytes.
-- A number lives in "number" and everything else, as JSON text, in "value".
create table kv (
  canvas_id text not null,
  scope text not null,
  key bytea not null,
  value text,
  number double precision,
  primary key (canvas_id, scope, key)
);

-- How many keys a scope holds; changed in the batch that adds or removes one.
create table kv_scopes (
  canvas_id text not null,
  scope text not null,
  keys bigint not null,
  primary key (canvas_id, scope)
);
