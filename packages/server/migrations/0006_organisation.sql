-- Where people belong to organisations, the domain of their address says to which.
create table orgs (
  id text primary key,
  name text not null,
  created_at bigint not null
);
create table org_domains (
  domain text primary key,
  org_id text not null references orgs (id)
);
create index domains_of_org on org_domains (org_id);

-- What administrators have changed; the rest is as the deployment says. value: JSON.
create table instance_settings (
  name text primary key,
  value text not null
);
create table quotas (
  name text primary key,
  value bigint not null
);

-- Every change through the management API, newest last. details: JSON without secrets.
create table audit (
  id text primary key,
  at bigint not null,
  actor_id text not null,
  actor_email text not null,
  act text not null,
  canvas_id text,
  target text,
  address text not null,
  details text
);
create index audit_of_canvas on audit (canvas_id, id);
