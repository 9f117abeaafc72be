-- Counters of changes to the rows on which access depends. A node that remembers such a row compares the epochs that it has read with it
-- (drivers/db/guarded-db.ts). id: `person` with the id of a user or an invitation, `canvas` with the id of a canvas, or `instance`.
-- An id without a row has epoch 0. Rows are never removed, because epochs must only grow.
-- readable since: 0040
create table access_epochs (
  id text primary key,
  epoch bigint not null
) with (fillfactor = 50);

create function raise_access_epoch(changed text) returns void language sql as $$
  insert into access_epochs (id, epoch) values (changed, 1)
  on conflict (id) do update set epoch = access_epochs.epoch + 1
$$;

-- Fails the statement that calls it, and with it the transaction. Drivers know the code.
create function fail_stale_rows() returns boolean language plpgsql as $$
begin
  raise exception 'the rows that were remembered have changed' using errcode = 'EAS01';
end
$$;

-- Raises the epoch of the row that a trigger sees. The arguments of the trigger are the kind and the names of columns, of which the first
-- that is not null has the id. A change of `updated_at` alone changes no access.
create function raise_epoch_of_row() returns trigger language plpgsql as $$
declare
  before jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) - 'updated_at' end;
  after jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) - 'updated_at' end;
  ids text[];
begin
  if before = after then
    return null;
  end if;
  select array_agg(distinct tg_argv[0] || coalesce(' ' || (
      select version ->> name from unnest(tg_argv[1:]) with ordinality as names (name, place)
      where version ->> name is not null order by place limit 1), '')) into ids
  from (values (before), (after)) as versions (version) where version is not null;
  perform raise_access_epoch(id) from unnest(ids) as id order by id;
  return null;
end
$$;

-- Only rows that exist are remembered, so a new session, token, person, invitation or canvas changes none of them.
create trigger raise_epoch after update or delete on sessions
  for each row execute function raise_epoch_of_row('person', 'user_id', 'invite_id');
create trigger raise_epoch after update or delete on tokens
  for each row execute function raise_epoch_of_row('person', 'user_id');
create trigger raise_epoch after update or delete on users
  for each row execute function raise_epoch_of_row('person', 'id');
create trigger raise_epoch after update or delete on invites
  for each row execute function raise_epoch_of_row('person', 'id');
create trigger raise_epoch after update or delete on canvases
  for each row execute function raise_epoch_of_row('canvas', 'id');
create trigger raise_epoch after insert or update or delete on canvas_people
  for each row execute function raise_epoch_of_row('canvas', 'canvas_id');
create trigger raise_epoch after insert or update or delete on canvas_teams
  for each row execute function raise_epoch_of_row('canvas', 'canvas_id');
create trigger raise_epoch after insert or update or delete on connection_grants
  for each row execute function raise_epoch_of_row('canvas', 'canvas_id');
-- Not the canvases of the team, or of the owner: a transaction that has not committed yet may just be adding one.
create trigger raise_epoch after insert or update or delete on team_members
  for each row execute function raise_epoch_of_row('instance');
create trigger raise_epoch_of_owner after update on users
  for each row when (old.can_publish_public is distinct from new.can_publish_public)
  execute function raise_epoch_of_row('instance');
create trigger raise_epoch after insert or update or delete on org_domains
  for each row execute function raise_epoch_of_row('instance');
create trigger raise_epoch after insert or update or delete on instance_settings
  for each row execute function raise_epoch_of_row('instance');
create trigger raise_epoch after insert or update or delete on connection_profiles
  for each row execute function raise_epoch_of_row('instance');
