-- release_id: what the deployer calls the content, such as a commit; null if nothing was given.
alter table versions add column release_id text;
-- unchanged: 1 when the deploy has published nothing, because the published version (version_id) had its release_id.
alter table staged_deploys add column release_id text;
alter table staged_deploys add column unchanged integer not null default 0;
