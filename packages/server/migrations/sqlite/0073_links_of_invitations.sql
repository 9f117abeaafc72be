-- link_expires_at: until when the link of the invitation lets the guest in; null for an invitation that an older release has made since this
-- migration, whose link ends 30 days later. Links that were made before had no end: they get one 30 days from now.
-- readable since: 0043
alter table invites add column link_expires_at bigint;
update invites set link_expires_at = cast(strftime('%s', 'now') as integer) * 1000 + 2592000000;
