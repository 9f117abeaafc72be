-- When a backup was last made, and whether blobs may be removed: one row each.
-- readable since: 0043

-- finished_at: when the command `backup` last ended with success, in epoch milliseconds.
create table last_backup (
  singleton integer primary key check (singleton = 1),
  finished_at bigint not null
);

-- ticks: rises at the start and every ten minutes. The marker `ticks` of the blobs follows it; if it is ahead, the database was restored from
-- a copy that is older than the blobs. held_until: until then, no unused blob is removed. Epoch milliseconds; 0: never.
create table sweep_guard (
  singleton integer primary key check (singleton = 1),
  ticks bigint not null,
  held_until bigint not null
);
