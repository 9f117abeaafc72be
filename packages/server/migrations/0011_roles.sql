-- The role that an address has on a canvas by its people list and its teams: of several the strongest. No aggregate, so that
-- conditions on canvas_id and email reach the indexes in both engines.
create view roles as
  select canvas_id, email, case
    when exists (select 1 from canvas_people
      where canvas_people.canvas_id = given.canvas_id and canvas_people.email = given.email and role = 'editor')
    or exists (select 1 from canvas_teams join team_members on team_members.team_id = canvas_teams.team_id
      where canvas_teams.canvas_id = given.canvas_id and team_members.email = given.email and role = 'editor')
    then 'editor' else 'viewer' end as role
  from (
    select canvas_id, email from canvas_people
    union
    select canvas_teams.canvas_id, team_members.email
    from canvas_teams join team_members on team_members.team_id = canvas_teams.team_id) as given;
