-- network: the network of the client that has asked for a device code, which limits the number of codes. Null for authorization codes, and for
-- device codes from before this migration, which expire within ten minutes.
alter table oauth_codes add column network text;
create index oauth_codes_of_network on oauth_codes (network, expires_at) where network is not null;
