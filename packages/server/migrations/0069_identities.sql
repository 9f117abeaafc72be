-- The accounts of people at identity providers, by which they are found when they sign in. A person has one at each issuer.
-- readable since: 0064
create table identities (
  issuer text not null,
  subject text not null,
  user_id text not null references users (id),
  created_at bigint not null,
  primary key (issuer, subject)
);
create unique index identity_of_person on identities (user_id, issuer);

-- The groups that the provider named at the last sign-in of each person.
create table person_groups (
  user_id text not null references users (id),
  name text not null,
  primary key (user_id, name)
);
create index person_groups_by_name on person_groups (name, user_id);

-- listed_as: the former address by which the setting of administrators names the person; empty if their address names somebody else there.
-- admin_group: 1 for members of a group of administrators. groups_key: a hash of their groups.
alter table users add column listed_as text;
alter table users add column admin_group integer not null default 0;
alter table users add column groups_key text;
create index users_by_listing on users (listed_as);

-- external_group: the group at the provider whose members are the members of the team.
alter table teams add column external_group text;
create index teams_of_group on teams (external_group);

-- provider_sid: the id of the session at the provider in which this one has begun.
alter table sessions add column provider_sid text;
create index sessions_of_provider on sessions (provider_sid);

-- As session_holders, with what has been added. Nodes of before 0069 read that one.
create view session_people as
  select sessions.token_hash, sessions.id as session_id, sessions.created_at as started_at, sessions.expires_at, users.id, users.email,
    users.name, users.avatar_url, users.can_publish_public, users.deactivated_at, users.listed_as, users.admin_group, users.groups_key,
    invites.id as invite_id, invites.canvas_id as invite_canvas, invites.email as invite_email, invites.name as invite_name,
    invites.revoked_at as invite_revoked_at, invites.created_by as invite_by
  from sessions
  left join users on users.id = sessions.user_id
  left join invites on invites.id = sessions.invite_id;
