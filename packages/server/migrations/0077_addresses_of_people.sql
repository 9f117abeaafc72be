-- The addresses that people have had, by which an erasure finds what names them. ended_at: when they got another one.
-- readable since: 0064
create table former_addresses (
  user_id text not null references users (id),
  email text not null,
  ended_at bigint not null,
  primary key (user_id, email)
);
create index former_addresses_by_address on former_addresses (email);

-- The people whom a provider manages by SCIM. user_name: as the provider has it, in lower case. removed_at: when the provider has deleted
-- them; null otherwise.
create table scim_people (
  user_id text primary key references users (id),
  user_name text not null unique,
  removed_at bigint
);

-- The addresses that the provider has for a person. place: 0 for the user name if that is an address, then those of `emails` in their order.
-- type: that of `emails`, such as work.
create table scim_addresses (
  email text primary key,
  user_id text not null references users (id),
  place bigint not null,
  type text not null
);
create index scim_addresses_of_person on scim_addresses (user_id, place);
