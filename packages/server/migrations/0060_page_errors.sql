-- page_error: the error of a page that the call has reported, as JSON, without its code and message. Such a call has the value 2 in the
-- column outsider, because the log of a canvas keeps a number of them beside those of each kind of callers.
-- readable since: 0043
alter table call_log add column page_error text;
