-- Processes that share the database, each under its lease. signing_keys, encryption_keys: ids of its keys, separated by spaces, the one that
-- signs or encrypts first. process: its namespace of process ids and its process id. skew_ms: how far its clock is ahead of the database's. schema: the last migration that it knows.
-- readable since: 0040
create table nodes (
  id text primary key references leases (id) on delete cascade,
  version text not null,
  schema text not null,
  started_at bigint not null,
  host text not null,
  port integer not null,
  process text not null,
  signing_keys text not null,
  encryption_keys text not null,
  shared_bus integer not null,
  blobs text not null,
  skew_ms bigint not null
);
