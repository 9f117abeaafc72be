-- authored: 1 for a canvas that its creator has published from a page of another canvas.
alter table canvases add column authored integer not null default 0;
create index canvases_authored on canvases (created_by, id) where authored = 1 and deleted_at is null;

-- How many canvases a person has authored on a day. day: days since 1970 in UTC. Rows stay, because their sum is the number of
-- canvases that the person has authored in all.
create table authored_days (
  user_id text not null references users (id),
  day integer not null,
  canvases bigint not null,
  primary key (user_id, day)
);
