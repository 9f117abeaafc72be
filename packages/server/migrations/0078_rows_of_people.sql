-- For exports and erasures, which find the rows of one person among those of all canvases.
-- readable since: 0043

-- Shared keys belong to nobody, and writing one changes no index.
create index kv_of_person on kv (scope, canvas_id, key) where scope <> '';
create index kv_scopes_of_person on kv_scopes (scope, canvas_id) where scope <> '';
create index records_of_person on records (author_id, id);
create index submissions_of_person on submissions (user_id, canvas_id, collection);
create index files_of_person on files (owner_id, id);
create index files_by_person on files (uploaded_by, id);
create index versions_by_person on versions (created_by, id);
create index canvases_by_person on canvases (created_by, id);
create index call_log_of_person on call_log (user_id, canvas_id, number) where user_id is not null;
create index ai_requests_of_person on ai_requests (user_id, id);
create index ai_requests_of_guests on ai_requests (invited_by, id) where invited_by is not null;
create index invites_by_address on invites (email, id);
create index slug_owners_of_person on slug_owners (user_id, slug);
