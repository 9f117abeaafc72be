-- Requests to AI models, one row each. state: open while the response is streamed, then done, failed or aborted, or lost when the process
-- ended before. leased_until: the time until which its process counts as alive; null once the row is settled.
-- reserved, cost: billionths of a US dollar.
create table ai_requests (
  id text primary key,
  canvas_id text not null references canvases (id),
  user_id text not null,
  guest integer not null,
  model text not null,
  state text not null,
  started_at bigint not null,
  ended_at bigint,
  leased_until bigint,
  reserved bigint not null,
  cost bigint not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  cache_creation_tokens bigint not null default 0,
  cache_read_tokens bigint not null default 0
);
create index ai_requests_of_canvas on ai_requests (canvas_id, started_at);
create index ai_requests_by_start on ai_requests (started_at);
create index ai_requests_leased on ai_requests (leased_until) where leased_until is not null;

-- What is spent and reserved under each spend cap, in billionths of a US dollar. subject: the id of a user, guest or canvas. period: a day
-- or month (UTC), empty for a guest. canvas_id: the canvas with which the row is removed.
create table ai_spend (
  scope text not null,
  subject text not null,
  period text not null,
  canvas_id text references canvases (id),
  spent bigint not null default 0,
  reserved bigint not null default 0,
  primary key (scope, subject, period)
);
create index ai_spend_of_canvas on ai_spend (canvas_id) where canvas_id is not null;
