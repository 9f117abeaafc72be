-- Which instance this database belongs to: one row. joined_at: when its blob store was seen to carry the same id; null before that.
create table instance (
  singleton integer primary key check (singleton = 1),
  id text not null,
  joined_at bigint
);
