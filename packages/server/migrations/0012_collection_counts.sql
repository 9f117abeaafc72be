-- Besides the records of a canvas (kind "records"), those of each collection (kind "records/{collection}") are counted.
insert into counts (canvas_id, kind, rows)
  select canvas_id, 'records/' || collection, count(*) from records group by canvas_id, collection;
