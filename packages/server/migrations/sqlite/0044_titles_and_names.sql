-- What lists sort titles by, and what searches find tags and people by. SQLite's and PostgreSQL's texts of this migration mean the same.
-- readable since: 0043
-- Titles are sorted by the bytes of their UTF-8, the letters A to Z as a to z.
alter table canvases add column title_key text collate nocase generated always as (title) virtual;

create view canvas_tags as
  select canvases.id as canvas_id, each_tag.value as tag from canvases, json_each(canvases.tags) as each_tag;

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
    cast(lower(each_word.value) as blob) as word
  from users, json_each('[' || replace(json_quote(name || ' ' || email), ' ', '","') || ']') as each_word
  where each_word.value <> '';

create trigger add_person_words after insert on users begin
  insert into person_words (user_id, domain, word)
  select user_id, domain, word from current_person_words where user_id = new.id on conflict do nothing;
end;
create trigger replace_person_words after update of name, email on users
when old.name <> new.name or old.email <> new.email begin
  delete from person_words where user_id = new.id;
  insert into person_words (user_id, domain, word)
  select user_id, domain, word from current_person_words where user_id = new.id on conflict do nothing;
end;
insert into person_words (user_id, domain, word)
  select user_id, domain, word from current_person_words where true on conflict do nothing;
