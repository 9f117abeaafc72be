-- The entries of one act on a canvas, the newest first.
-- readable since: 0046
create index audit_of_canvas_by_act on audit (canvas_id, act, id);
