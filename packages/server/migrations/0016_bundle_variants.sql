-- The compressed variants of the bytes of a file, for deploys that use them again. compressed: 1 when they have been made; a variant that
-- saves too little has no key.
alter table bundle_blobs add column compressed integer not null default 0;
alter table bundle_blobs add column br_key text;
alter table bundle_blobs add column br_size bigint;
alter table bundle_blobs add column gzip_key text;
alter table bundle_blobs add column gzip_size bigint;

-- For the sweep of blobs.
create index bundle_blobs_by_blob on bundle_blobs (blob_key);
create index bundle_blobs_by_br on bundle_blobs (br_key) where br_key is not null;
create index bundle_blobs_by_gzip on bundle_blobs (gzip_key) where gzip_key is not null;

-- For removals.
create index bundle_blobs_unused on bundle_blobs (canvas_id) where uses <= 0;
