-- Files that pages upload. scope: shared, submission, group:{name} or record:{collection}. owner_id: the person whose own file it is,
-- who is the author of the record for an attachment, and the uploader otherwise. An attachment without its record is hidden.
create table files (
  id text primary key,
  canvas_id text not null,
  scope text not null,
  record_id text,
  owner_id text not null,
  uploaded_by text not null,
  name text not null,
  mime text not null,
  size bigint not null,
  blob_key text not null,
  created_at bigint not null
);
create index files_of_scope on files (canvas_id, scope, id);
create index files_of_owner on files (canvas_id, scope, owner_id, id);
create index files_of_record on files (canvas_id, record_id, id) where record_id is not null;
create index files_of_blob on files (blob_key);
create index files_of_size on files (canvas_id, size);

-- The sum of their sizes; changed in the batch that adds or removes one, and first: it is the lock.
create table file_bytes (
  canvas_id text primary key,
  bytes bigint not null
);
