-- Who published a canvas under a slug. No one else ever gets the slug, because browsers keep service workers and storage of its pages. A row
-- stays when its canvas is deleted or renamed, and goes along when the canvas gets another owner.
create table slug_owners (
  slug text primary key,
  user_id text not null references users (id)
);
-- Includes the former slugs of canvases that were published, since it is not known which of them were served.
insert into slug_owners (slug, user_id)
select slug_claims.slug, owner_id from slug_claims join canvases on canvases.id = canvas_id where version_id is not null;

-- The canvas from whose page a canvas was published; null for others and for those that older releases made.
alter table canvases add column authored_from text;
