-- What lists sort titles by, and what searches find tags and people by. SQLite's and PostgreSQL's texts of this migration mean the same.
-- readable since: 0043
-- Titles are sorted by the bytes of their UTF-8, the letters A to Z as a to z.
alter table canvases add column title_key text collate "C" generated always as (
  translate(title, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')) stored;

create view canvas_tags as
  select canvases.id as canvas_id, tag from canvases, json_array_elements_text(canvases.tags::json) as each_tag (tag);

-- The words of the names of people, and their e-mail addresses, in lower case, as bytes. domain: that of the address.
create table person_words (
  user_id text not null references users (id),
  domain text not null,
  word bytea not null,
  primary key (user_id, word)
);
create index person_words_by_word on person_words (word, user_id);
create index person_words_of_domain on person_words (domain, word, user_id);

create view current_person_words as
  select users.id as user_id, substr(email, length(rtrim(email, replace(email, '@', ''))) + 1) as domain,
    convert_to(lower(word), 'UTF8') as word
  from users, string_to_table(name || ' ' || email, ' ') as each_word (word)
  where word <> '';

create function replace_person_words() returns trigger language plpgsql as $$
begin
  delete from person_words where user_id = new.id;
  insert into person_words (user_id, domain, word)
  select user_id, domain, word from current_person_words where user_id = new.id on conflict do nothing;
  return null;
end
$$;
create trigger add_person_words after insert on users
  for each row execute function replace_person_words();
create trigger replace_person_words after update on users
  for each row when (old.name <> new.name or old.email <> new.email) execute function replace_person_words();
insert into person_words (user_id, domain, word)
  select user_id, domain, word from current_person_words on conflict do nothing;
