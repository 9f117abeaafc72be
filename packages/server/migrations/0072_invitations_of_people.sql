-- For the guests whom one person has invited.
create index invites_of_inviter on invites (created_by, id);
