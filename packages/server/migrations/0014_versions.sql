-- message: what the deployer wrote about the version, or null. files_*: how many files differ from the version stored before it on the
-- same canvas, counted when the version was stored; null for versions that an older release stored.
alter table versions add column message text;
alter table versions add column files_added integer;
alter table versions add column files_changed integer;
alter table versions add column files_removed integer;
