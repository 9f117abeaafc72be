-- The current phases of collections and file groups, as JSON: {"collections": {"votes": "revealed"}}; null if all are in none. The policy says
-- what a phase changes.
alter table canvases add column phases text;
