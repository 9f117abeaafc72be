-- Tokens for AI tools that people have created themselves are counted for administrators: those tools are their own clients.
-- readable since: 0043

create index apps_without_client on apps (user_id) where client_id = id;
