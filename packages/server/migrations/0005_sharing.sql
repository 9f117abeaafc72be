-- A named list of addresses that canvases are shared with. Who made it changes it.
create table teams (
  id text primary key,
  name text not null,
  created_by text not null references users (id),
  created_at bigint not null
);
create index teams_of_maker on teams (created_by, id);
create table team_members (
  team_id text not null references teams (id),
  email text not null,
  primary key (team_id, email)
);
create index team_members_by_email on team_members (email, team_id);
create table canvas_teams (
  canvas_id text not null references canvases (id),
  team_id text not null references teams (id),
  role text not null,
  primary key (canvas_id, team_id)
);
create index canvas_teams_by_team on canvas_teams (team_id, canvas_id);

-- Every role that an address is given on a canvas, directly or by a team. Of several the strongest counts, which is the
-- least by name: editor, viewer.
create view grants as
  select canvas_id, email, role from canvas_people
  union all
  select canvas_teams.canvas_id, team_members.email, canvas_teams.role
  from canvas_teams join team_members on team_members.team_id = canvas_teams.team_id;

-- The home organisation: whose members `whole_org` admits where people belong to organisations.
alter table canvases add column org_id text;
-- The policy document as JSON text, and the revision of its last change.
alter table canvases add column runtime_policy text;
alter table canvases add column runtime_policy_revision text;

-- Whose a slug is. until: null while it is in use; one that a canvas gave up rests before another may have it.
create table slug_claims (
  slug text primary key,
  canvas_id text not null,
  until bigint
);
create index slug_claims_of_canvas on slug_claims (canvas_id);
insert into slug_claims (slug, canvas_id) select slug, id from canvases;
