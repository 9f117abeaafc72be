import type { User } from "../../src/access/principal.ts";

/** Returns a signed-in person, or with `guestOf` a guest of the canvas with that id. */
export const userWith = (id: string, guestOf: string | null = null): User => ({
  id,
  email: `${id}@example.com`,
  name: id,
  avatarUrl: null,
  canPublishPublic: true,
  guestOf,
  invitedBy: guestOf === null ? null : "inviter",
  restriction: null,
});
