import { Refusal } from "../api/refusal.ts";
import { bodyOf, type Service } from "../api/service.ts";

/** An invitation of a guest. `url` is known only if this run has created the invitation. */
export interface Guest {
  id: string;
  email: string;
  url?: string;
}

/** Returns an e-mail address in the form in which the service compares addresses. */
export const normalized = (email: string): string => email.trim().toLowerCase();

/** Reads the invitations that have not been revoked. Returns none for callers who are neither the owner nor an editor. */
export async function readGuests(id: string, { api }: Service): Promise<Guest[]> {
  const guests: Guest[] = [];
  let cursor: string | undefined;
  try {
    do {
      const params = { path: { id }, query: cursor === undefined ? {} : { cursor } };
      const page = await bodyOf(api.GET("/api/canvases/{id}/invites", { params }));
      guests.push(...page.invites.filter(({ revokedAt }) => revokedAt === null));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    return guests;
  } catch (error) {
    if (error instanceof Refusal && error.status === 403) return [];
    throw error;
  }
}
