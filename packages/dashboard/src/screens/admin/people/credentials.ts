import type { AdminPerson } from "../../../api/types.ts";
import { countOf, listOf } from "../../../kit/words.ts";

/** What lets a person in and ends for good when they are signed out, such as "1 session and 2 access tokens". Empty if there is nothing. */
export const credentialWords = ({
  sessions,
  tokens,
  apps,
}: Pick<AdminPerson, "sessions" | "tokens" | "apps">): string =>
  listOf(
    [
      { count: sessions, thing: "session" },
      { count: tokens, thing: "access token" },
      { count: apps, thing: "connected tool" },
    ].flatMap(({ count, thing }) => (count === 0 ? [] : [countOf(count, thing)])),
  );
