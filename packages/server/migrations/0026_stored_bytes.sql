-- bundle_bytes.bytes counts everything that the bundles of a canvas take, so that the quota of its owner covers it:
--   for each row of bundle_blobs: its size and 4,096 bytes (the block of the file, the rows),
--   for each row of version_files: 512 bytes and six times the bytes of its path (the row and its indexes),
--   for each staged deploy: its column charged.

-- A compressed variant is a blob of the canvas like any other, and the blob that it is of is a use of it. compressed: 0 when no file needs
-- variants, 2 when they have to be made, 1 when that has been tried. unused_at: when the last use ended, or when the blob was announced, in
-- epoch milliseconds; 0 while the sweep removes the blob; null for a blob in use.
alter table bundle_blobs add column unused_at bigint;
insert into bundle_blobs (canvas_id, blob_key, size, uses, compressed)
  select canvas_id, variant, max(variant_size), count(*), 0 from (
    select canvas_id, br_key as variant, br_size as variant_size from bundle_blobs where br_key is not null
    union all select canvas_id, gzip_key, gzip_size from bundle_blobs where gzip_key is not null) as variants
  where true group by canvas_id, variant
  on conflict (canvas_id, blob_key) do update set uses = bundle_blobs.uses + excluded.uses;

-- Variants that only versions refer to are made again. From now on, version_files has rows for the encoding identity only.
update bundle_blobs set compressed = 2 where compressed = 0 and exists (
  select 1 from version_files as plain join versions on versions.id = plain.version_id
  join version_files as variant on variant.version_id = plain.version_id and variant.path = plain.path
  where plain.blob_key = bundle_blobs.blob_key and versions.canvas_id = bundle_blobs.canvas_id
    and plain.encoding = 'identity' and variant.encoding <> 'identity');
delete from version_files where encoding <> 'identity';

drop index bundle_blobs_by_br;
drop index bundle_blobs_by_gzip;
drop index bundle_blobs_unused;
create index bundle_blobs_released on bundle_blobs (canvas_id) where uses <= 0 and unused_at is null;
create index bundle_blobs_spent on bundle_blobs (canvas_id) where uses <= 0 and compressed > 0;
create index bundle_blobs_unused on bundle_blobs (unused_at, canvas_id) where uses <= 0;
create index bundle_blobs_uncompressed on bundle_blobs (canvas_id) where compressed = 2;

-- charged: the bytes that the list of files, the rows of staged_blobs or the warnings count. warnings: those of a finished deploy, as JSON.
alter table staged_blobs drop column compressible;
alter table staged_deploys add column charged bigint not null default 0;
alter table staged_deploys add column warnings text;

delete from bundle_bytes;
insert into bundle_bytes (canvas_id, bytes)
  select canvas_id, sum(bytes) from (
    select canvas_id, size + 4096 as bytes from bundle_blobs
    union all select canvas_id, 512 + 6 * octet_length(path) from version_files join versions on versions.id = version_id) as stored
  group by canvas_id;
