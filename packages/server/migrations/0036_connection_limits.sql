-- guests: guests of the canvas may use the profile. A public grant admitted guests until now.
-- limits: what guests and visitors of a Public link may do: a JSON object with paths, methods and requestsPerDay, each optional.
alter table connection_grants add column guests integer not null default 0;
update connection_grants set guests = public;
alter table connection_grants add column limits text not null default '{}';

-- How many requests guests and visitors have sent on a day (days since 1970, UTC) by a grant that limits them.
create table connection_days (
  canvas_id text not null,
  profile text not null,
  day bigint not null,
  requests bigint not null,
  primary key (canvas_id, profile, day)
);
create index connection_days_by_day on connection_days (day);
