-- As in 0042. The row of a connected tool belongs to the access tokens that its program has.
-- readable since: 0043
create trigger raise_epoch after update or delete on apps
  for each row execute function raise_epoch_of_row('person', 'user_id');
