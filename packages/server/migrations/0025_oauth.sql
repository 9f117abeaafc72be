-- A one-time secret for which a program gets an access token (OAuth 2): an authorization code, or a device code (RFC 8628). Only its hash
-- is stored. token_id: the token that the secret has given; it has no foreign key, so that the row outlives the token.
create table oauth_codes (
  secret_hash text primary key,
  redirect_uri text,
  challenge text,
  user_code text unique,
  address text,
  polled_at bigint,
  host text not null,
  scope text not null,
  canvas_id text,
  user_id text references users (id),
  denied integer not null default 0,
  token_id text,
  expires_at bigint not null
);
create index oauth_codes_of_user on oauth_codes (user_id);
create index oauth_codes_of_canvas on oauth_codes (canvas_id);
create index oauth_codes_by_expiry on oauth_codes (expires_at);
