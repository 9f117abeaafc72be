-- What an access token may do. scope: full, deploy or read. canvas_id: the only canvas for which the token is valid; null for every canvas.
alter table tokens add column scope text not null default 'full';
alter table tokens add column canvas_id text references canvases (id);
create index tokens_of_canvas on tokens (canvas_id);
