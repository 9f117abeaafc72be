-- connections: the open realtime connections of the node when it last renewed its lease.
-- readable since: 0046
alter table nodes add column connections integer not null default 0;
