-- The names of headers that pages may send through a profile besides those that every page may: a JSON array.
-- readable since: 0043
alter table connection_profiles add column request_headers text not null default '[]';
