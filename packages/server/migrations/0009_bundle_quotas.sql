-- state: storing or removing while the rows of the version's files are added or removed; nothing shows or publishes it then.
-- Otherwise stored.
alter table versions add column state text not null default 'stored';
create index versions_unseen on versions (canvas_id) where state <> 'stored';

-- The distinct files of all versions of a canvas. uses: how many rows of version_files are of these bytes, not compressed.
create table bundle_blobs (
  canvas_id text not null references canvases (id),
  blob_key text not null,
  size bigint not null,
  uses bigint not null,
  primary key (canvas_id, blob_key)
);
insert into bundle_blobs (canvas_id, blob_key, size, uses)
  select canvas_id, blob_key, max(size), count(*) from version_files join versions on versions.id = version_id
  where encoding = 'identity' group by canvas_id, blob_key;

-- The sum of their sizes; changed in the batch that adds or removes one, and first: it is the lock.
create table bundle_bytes (
  canvas_id text primary key references canvases (id),
  bytes bigint not null
);
insert into bundle_bytes (canvas_id, bytes) select canvas_id, sum(size) from bundle_blobs group by canvas_id;

-- What administrators have changed for one person; the rest is as they have set it for everyone, or as the deployment says.
create table user_quotas (
  user_id text not null references users (id),
  name text not null,
  value bigint not null,
  primary key (user_id, name)
);

-- The quotas of people, as administrators have set them. value: null where none has.
create view person_quotas as
  select users.id as user_id, names.name, coalesce(user_quotas.value, quotas.value) as value
  from users
  cross join (select 'canvases.person' as name union all select 'bundles.bytes.person'
    union all select 'versions.canvas') as names
  left join user_quotas on user_quotas.user_id = users.id and user_quotas.name = names.name
  left join quotas on quotas.name = names.name;
