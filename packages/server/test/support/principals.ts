import type { Guest, Member } from "../../src/access/principal.ts";

/** Returns a signed-in person. */
export const userWith = (id: string): Member => ({
  kind: "member",
  id,
  email: `${id}@example.com`,
  name: id,
  avatarUrl: null,
  canPublishPublic: true,
  listedAs: null,
  inAdminGroup: false,
  restriction: null,
});

/** Returns a guest of the canvas with the id `guestOf`. */
export const guestWith = (id: string, guestOf: string): Guest => ({
  ...userWith(id),
  kind: "guest",
  guestOf,
  invitedBy: "inviter",
  canPublishPublic: false,
  restriction: null,
});
