-- Connected tools: programs that act for a person through the tools of /mcp.
-- readable since: 0043

-- What one person has allowed one program. client_id: a URL of its document, a signed registration or a configured name; the id of the row
-- itself for a token that the person created. client_host: of that document, null if there is none. redirect_host: where the person was
-- sent back to. verified: 1 if the document or the configuration vouches for the program. scope, canvas_id: as for tokens. own_only: 1 if
-- only canvases that the program has made may be used. confirms: 1 if the person is asked before access widens. expires_at: null for never.
create table apps (
  id text primary key,
  user_id text not null references users (id),
  client_id text not null,
  client_name text not null,
  client_host text,
  redirect_host text,
  verified integer not null,
  scope text not null,
  canvas_id text references canvases (id),
  own_only integer not null,
  confirms integer not null,
  created_at bigint not null,
  used_at bigint,
  expires_at bigint
);
create index apps_of_user on apps (user_id, id);
create index apps_of_client on apps (client_id, id);
create index apps_of_canvas on apps (canvas_id);
create index apps_by_expiry on apps (expires_at);

-- audience: `api` for /api and /v1, `mcp` for /mcp. app_id: the connected tool of a token for /mcp.
alter table tokens add column audience text not null default 'api';
alter table tokens add column app_id text references apps (id);
create index tokens_of_app on tokens (app_id);

-- The refresh tokens of connected tools. spent_at: when it was exchanged, null until then. Spent ones are kept, so that a second use shows.
create table app_refresh_tokens (
  secret_hash text primary key,
  app_id text not null references apps (id) on delete cascade,
  created_at bigint not null,
  spent_at bigint,
  expires_at bigint not null
);
create index app_refresh_tokens_of_app on app_refresh_tokens (app_id);
create index app_refresh_tokens_by_expiry on app_refresh_tokens (expires_at);

-- Which canvases a program has made for a person.
create table made_canvases (
  canvas_id text not null references canvases (id),
  user_id text not null references users (id),
  client_id text not null,
  primary key (canvas_id, user_id, client_id)
);
create index made_canvases_of_client on made_canvases (user_id, client_id, canvas_id);

-- The signed tickets that can be used once and have been. expires_at: when they would have expired.
create table used_tickets (
  hash text primary key,
  expires_at bigint not null
);
create index used_tickets_by_expiry on used_tickets (expires_at);

-- The program and the tool through which somebody acted, as JSON; null for other requests.
alter table audit add column via text;
