-- erased_at: when the name and the address of the person were replaced; null for everybody else. Nobody signs in as an erased person.
-- readable since: 0064

alter table users add column erased_at bigint;
