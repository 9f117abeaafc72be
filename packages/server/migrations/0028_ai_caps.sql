-- invited_by: the person whose guest has made the request. Null for requests of members, and for those before this migration.
alter table ai_requests add column invited_by text;

-- The row of the instance in each month. Requests that are open or were settled before count in it as well.
insert into ai_spend (scope, subject, period, spent, reserved)
select 'instance_monthly', '', period, sum(spent), sum(reserved)
from ai_spend where scope = 'canvas_monthly' group by period;

-- The view has one column more: who has invited a guest.
drop view session_holders;
create view session_holders as
  select sessions.token_hash, sessions.id as session_id, sessions.expires_at, users.id, users.email, users.name,
    users.avatar_url, users.can_publish_public, users.deactivated_at, invites.id as invite_id,
    invites.canvas_id as invite_canvas, invites.email as invite_email, invites.name as invite_name,
    invites.revoked_at as invite_revoked_at, invites.created_by as invite_by
  from sessions
  left join users on users.id = sessions.user_id
  left join invites on invites.id = sessions.invite_id;
