-- Mails that are to be sent, and for two weeks those that were: they count for the limits of who causes them and of who gets them.
-- readable since: 0043

-- subject, body: empty once the mail is sent or given up, because they can contain the link of an invitation. caused_by: the id of the person
-- who has caused it; null for the service. due_at: when it is tried next; null once it is sent or given up. tries: how often it was tried.
create table outbox (
  id text primary key,
  kind text not null,
  recipient text not null,
  recipient_name text not null,
  subject text not null,
  body text not null,
  caused_by text,
  created_at bigint not null,
  due_at bigint,
  tries integer not null default 0,
  error text
);
create index outbox_due on outbox (due_at) where due_at is not null;
create index outbox_caused on outbox (caused_by, created_at);
create index outbox_recipient on outbox (recipient, created_at);
