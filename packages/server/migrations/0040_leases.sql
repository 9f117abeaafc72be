-- The time in epoch milliseconds by the clock of the database, which all processes share.
create view database_clock as
  select cast(date_part('epoch', clock_timestamp()) * 1000 as bigint) as now;

-- Processes of the service. What a process holds in the database names its lease, and counts only while the lease is live.
create table leases (
  id text primary key,
  leased_until bigint not null
);
create view live_leases as
  select id from leases, database_clock where leased_until > now;

-- Work that one process at a time does. lease: the process that does it, null if none. finished_at: when it was last done.
create table jobs (
  name text primary key,
  lease text,
  finished_at bigint
);

-- lease: the process of an open request; null once the request is settled. The processes of requests that are open now have ended.
alter table ai_requests add column lease text;
update ai_requests set lease = '' where leased_until is not null;
drop index ai_requests_leased;
alter table ai_requests drop column leased_until;
create index ai_requests_open on ai_requests (lease) where lease is not null;
