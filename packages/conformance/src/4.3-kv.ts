import { describe } from "node:test";
import { bodies } from "./kv/bodies.ts";
import { corpora } from "./kv/corpora.ts";
import { userCounts } from "./kv/counts.ts";
import { increments } from "./kv/increments.ts";
import { keys } from "./kv/keys.ts";
import { lists } from "./kv/lists.ts";
import { roles } from "./kv/roles.ts";
import { routes } from "./kv/routes.ts";
import { values } from "./kv/values.ts";
import type { Target } from "./target.ts";

/** Tests specification 4.3: the key-value store, in the shared scope and in the scopes of users. */
export function kv(target: Target): void {
  if (target.rateLimited) return;
  describe("4.3 key-value", () => {
    routes(target);
    roles(target);
    keys(target);
    values(target);
    bodies(target);
    lists(target);
    increments(target);
    userCounts(target);
    corpora(target);
  });
}
