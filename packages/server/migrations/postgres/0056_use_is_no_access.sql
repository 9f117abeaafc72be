-- As in 0042. A change of `last_used_at` changes no access, either.
-- readable since: 0043
create or replace function raise_epoch_of_row() returns trigger language plpgsql as $$
declare
  before jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) - '{updated_at,last_used_at}'::text[] end;
  after jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) - '{updated_at,last_used_at}'::text[] end;
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
