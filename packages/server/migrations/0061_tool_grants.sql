-- How a program becomes a connected tool, and stays one.
-- readable since: 0043

-- Authorization codes of programs. What the person has allowed is as in apps. app_id: the connected tool that the code has given; it has no
-- foreign key, so that the row outlives the tool.
create table app_codes (
  secret_hash text primary key,
  user_id text not null references users (id),
  client_id text not null,
  client_name text not null,
  client_host text,
  verified integer not null,
  redirect_uri text not null,
  challenge text not null,
  scope text not null,
  canvas_id text,
  own_only integer not null,
  confirms integer not null,
  app_id text,
  expires_at bigint not null
);
create index app_codes_of_user on app_codes (user_id);
create index app_codes_of_canvas on app_codes (canvas_id);
create index app_codes_by_expiry on app_codes (expires_at);

-- token_id: the access token that was given with the refresh token. predecessor: the hash of the refresh token for which it was given, null
-- for the first.
alter table app_refresh_tokens add column token_id text;
alter table app_refresh_tokens add column predecessor text;
create index app_refresh_tokens_after on app_refresh_tokens (predecessor);
