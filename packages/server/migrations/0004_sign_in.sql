-- Someone from outside, invited to one canvas. token_hash: of the link's token, which alone turns into sessions.
create table invites (
  id text primary key,
  canvas_id text not null references canvases (id),
  email text not null,
  name text not null,
  token_hash text not null unique,
  created_at bigint not null,
  created_by text not null references users (id),
  revoked_at bigint
);
create index invites_of_canvas on invites (canvas_id, id);

-- Made anew, since a session is now a person's or a guest's: everyone signs in once more.
drop table sessions;
-- A signed-in browser. The cookie holds a random token; only its hash is kept. Each use may move expires_at on.
create table sessions (
  token_hash text primary key,
  id text not null unique,
  user_id text references users (id),
  invite_id text references invites (id),
  created_at bigint not null,
  expires_at bigint not null,
  address text not null,
  user_agent text not null,
  check ((user_id is null) <> (invite_id is null))
);
create index sessions_of_user on sessions (user_id, id);
create index sessions_of_invite on sessions (invite_id);
create index sessions_by_expiry on sessions (expires_at);

-- Whose each session is: the columns of a person, or of an invitation.
create view session_holders as
  select sessions.token_hash, sessions.id as session_id, sessions.expires_at, users.id, users.email, users.name,
    users.avatar_url, users.can_publish_public, users.deactivated_at, invites.id as invite_id,
    invites.canvas_id as invite_canvas, invites.email as invite_email, invites.name as invite_name,
    invites.revoked_at as invite_revoked_at
  from sessions
  left join users on users.id = sessions.user_id
  left join invites on invites.id = sessions.invite_id;

-- A one-time code that takes a session of the base host to the host of one canvas. challenge: hash of what that browser holds.
create table handovers (
  code_hash text primary key,
  session_id text not null,
  slug text not null,
  challenge text not null,
  expires_at bigint not null
);
create index handovers_by_expiry on handovers (expires_at);

-- A personal access token, for programs.
create table tokens (
  id text primary key,
  user_id text not null references users (id),
  name text not null,
  token_hash text not null unique,
  created_at bigint not null,
  expires_at bigint,
  used_at bigint
);
create index tokens_of_user on tokens (user_id, id);
