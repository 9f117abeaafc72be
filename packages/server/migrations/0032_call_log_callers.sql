-- outsider: 1 if the caller was anonymous or had no role on the canvas. The log of a canvas keeps a number of entries of each kind.
alter table call_log add column outsider integer not null default 0;
create index call_log_by_caller on call_log (canvas_id, outsider, number);
