-- Everyone who has signed in.
create table users (
  id text primary key,
  email text not null unique,
  name text not null,
  avatar_url text,
  can_publish_public integer not null default 1,
  created_at bigint not null,
  deactivated_at bigint
);

-- A signed-in browser. The cookie holds a random token; only its hash is kept.
create table sessions (
  token_hash text primary key,
  id text not null unique,
  user_id text not null references users (id),
  created_at bigint not null,
  expires_at bigint not null
);
create index sessions_of_user on sessions (user_id);
create index sessions_by_expiry on sessions (expires_at);
