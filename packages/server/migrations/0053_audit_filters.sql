-- The entries of the audit log by actor, by act and by target, the newest first.
-- readable since: 0046
create index audit_of_actor on audit (actor_id, id);
create index audit_of_address on audit (actor_email, id);
create index audit_of_act on audit (act, id);
create index audit_of_target on audit (target, id);
