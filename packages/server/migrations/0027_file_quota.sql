-- Names the quota of uploaded files, too.
drop view person_quotas;
-- The quotas of people, as administrators have set them. value: null where none has.
create view person_quotas as
  select users.id as user_id, names.name, coalesce(user_quotas.value, quotas.value) as value
  from users
  cross join (select 'canvases.person' as name union all select 'bundles.bytes.person'
    union all select 'files.bytes.person' union all select 'versions.canvas') as names
  left join user_quotas on user_quotas.user_id = users.id and user_quotas.name = names.name
  left join quotas on quotas.name = names.name;
