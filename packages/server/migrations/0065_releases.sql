-- release: the release that has applied the migration, so that an older one can say which it takes. Null for migrations from before this one.
-- readable since: 0043
alter table migrations add column release text;
