-- When each person last used the service, to the hour. It is apart from users, whose rows are remembered.
-- readable since: 0046
create table last_seen (
  user_id text primary key references users (id),
  seen_at bigint not null
);
create index last_seen_by_time on last_seen (seen_at);
