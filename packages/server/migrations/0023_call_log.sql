-- Refused and failed calls to the runtime API, numbered by canvas. status: that of the response, or the code with which a WebSocket was
-- closed. user_id: null for an anonymous caller.
create table call_log (
  canvas_id text not null references canvases (id),
  number bigint not null,
  at bigint not null,
  method text not null,
  route text not null,
  status bigint not null,
  code text,
  message text,
  user_id text,
  request_id text not null,
  primary key (canvas_id, number)
);
create index call_log_by_time on call_log (at);

-- last: the number of the newest entry. It only grows, and stays when entries are removed. dropped: how many calls were not logged because
-- there were too many.
create table call_log_ends (
  canvas_id text primary key references canvases (id),
  last bigint not null,
  dropped bigint not null
);
