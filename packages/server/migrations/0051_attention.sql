-- What needs the attention of administrators: canvases that expire, and people who cannot sign in.
-- readable since: 0046
create index canvases_by_expiry on canvases (expires_at, id) where expires_at is not null and deleted_at is null;
create index users_deactivated on users (id) where deactivated_at is not null;
