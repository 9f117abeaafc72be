-- Rows by which proxies' people are found are remembered, too.
-- readable since: 0064
create trigger raise_epoch after update or delete on identities
  for each row execute function raise_epoch_of_row('person', 'user_id');
