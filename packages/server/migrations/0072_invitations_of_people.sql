-- For the guests whom one person has invited.
-- readable since: 0043

create index invites_of_inviter on invites (created_by, id);
