-- For the names of people: whether a person has uploaded a file in a scope, to records of anyone or to those of one author.
create index files_of_uploader on files (canvas_id, scope, uploaded_by, owner_id);
