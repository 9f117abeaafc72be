-- What people have answered to the questions of connected tools.
-- readable since: 0043

-- answer: `allowed` or `refused`; null for a ticket that is no question.
alter table used_tickets add column answer text;
