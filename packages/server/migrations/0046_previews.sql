-- A one-time link that shows one version of a canvas in the browser that opens it. code_hash: of the link's secret. credential: the session
-- or the access token with which it was made, null for an assertion of a proxy. signed_in: 1 if the link also starts a session of the
-- maker for this canvas alone. expires_at: until when the link can be opened and, once it is, the end of that session.
-- readable since: 0043
create table previews (
  id text primary key,
  code_hash text not null unique,
  canvas_id text not null,
  version_id text not null,
  user_id text not null references users (id),
  credential text,
  signed_in integer not null,
  expires_at bigint not null,
  opened_at bigint
);
create index previews_of_canvas on previews (canvas_id);
create index previews_of_user on previews (user_id);
create index previews_by_expiry on previews (expires_at);

-- Who made each preview. credential_until: until when what it was made with is valid; 0 if that has been ended.
create view preview_makers as
  select previews.id as preview, code_hash, previews.canvas_id, version_id, signed_in, opened_at, previews.expires_at,
    case when credential is null then previews.expires_at else coalesce(
      (select sessions.expires_at from sessions where sessions.id = credential),
      (select coalesce(tokens.expires_at, previews.expires_at) from tokens where tokens.id = credential), 0) end
      as credential_until,
    users.id, users.email, users.name, users.avatar_url, users.can_publish_public, users.deactivated_at
  from previews join users on users.id = previews.user_id;
