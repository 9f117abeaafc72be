-- Profiles of Connections: external servers that administrators have approved. methods, header_names: JSON arrays.
-- headers: the protected headers as a sealed JSON object; null if there are none.
create table connection_profiles (
  name text primary key,
  origin text not null,
  methods text not null,
  header_names text not null,
  headers text,
  enabled integer not null,
  created_at bigint not null,
  updated_at bigint not null
);

-- Which canvases may use which profile. public: visitors of a Public link may use it too.
create table connection_grants (
  canvas_id text not null references canvases (id),
  profile text not null references connection_profiles (name),
  public integer not null,
  created_at bigint not null,
  primary key (canvas_id, profile)
);
create index connection_grants_of_profile on connection_grants (profile);

-- The number of calls by day (days since 1970, UTC), outcome and duration. outcome: the class of the upstream's status, such as 2xx, or an
-- error code. up_to_ms: the upper bound of the duration. ms: the sum of the durations.
create table connection_calls (
  canvas_id text not null,
  profile text not null,
  day bigint not null,
  outcome text not null,
  up_to_ms bigint not null,
  calls bigint not null,
  ms bigint not null,
  primary key (canvas_id, profile, day, outcome, up_to_ms)
);
create index connection_calls_of_profile on connection_calls (profile, day);
create index connection_calls_by_day on connection_calls (day);
