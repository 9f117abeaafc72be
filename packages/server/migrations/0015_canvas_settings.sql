-- spa: 1 where navigations to paths without a file get index.html, because the page routes them itself.
alter table canvases add column spa integer not null default 0;
