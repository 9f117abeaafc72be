-- Mails take turns between the people who cause them, and people choose which kinds they get.
-- readable since: 0043

-- The service itself, whose mails nobody has caused, takes turns like a person.
create index outbox_turns on outbox (coalesce(caused_by, 'service'), due_at) where due_at is not null;

-- The kinds of mails that a person does not want.
create table mails_off (
  user_id text not null references users (id),
  kind text not null,
  primary key (user_id, kind)
);
