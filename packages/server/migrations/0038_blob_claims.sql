-- A claim keeps blobs from the sweep while they are stored: its rows exist before their bytes, and until the rows that refer to them. The
-- rows of one claim are inserted in one statement and removed in one. claimed_at: epoch milliseconds; the sweep ends older claims.
create table blob_claims (
  id text not null,
  blob_key text not null,
  claimed_at bigint not null,
  primary key (id, blob_key)
);
create index blob_claims_by_blob on blob_claims (blob_key);
