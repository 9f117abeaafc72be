import assert from "node:assert/strict";
import { Browser } from "./browser.ts";
import { manage, type Stage } from "./fixture.ts";
import { freshEmail, type Person, type Target } from "./target.ts";

/** An invitation to one canvas. `url` is the link that the invited guest opens. */
export interface Invite {
  id: string;
  email: string;
  name: string;
  url: string;
}

/** A guest of one canvas, with their invitation. */
export interface Guest extends Person {
  invite: Invite;
}

/** Invites an e-mail address to a canvas, as the owner of the canvas. */
export async function invite(
  target: Target,
  { id, people }: Stage,
  email = freshEmail("guest"),
  name = "A guest",
): Promise<Invite> {
  const answer = await manage(target, people.owner, "POST", `/api/canvases/${id}/invites`, { email, name });
  assert.equal(answer.status, 201, `POST invites: ${answer.text}`);
  const { id: inviteId, email: invited, url } = answer.json;
  assert.equal(invited, email);
  return { id: String(inviteId), email, name, url: String(url) };
}

/** Opens the link of an invitation in a new browser. Returns the guest with the cookie that identifies them. */
export async function accept(target: Target, invited: Invite): Promise<Guest> {
  const browser = new Browser(target);
  const answer = await browser.send("GET", new URL(invited.url));
  assert.equal(answer.status, 303, `${invited.url}: ${answer.text.slice(0, 300)}`);
  const headers = browser.jar.headersFor(new URL(target.base));
  assert.notEqual(headers.length, 0, "an invitation sets a cookie");
  return { email: invited.email, name: invited.name, headers, invite: invited };
}

/** Invites a new guest to a canvas and accepts the invitation. */
export async function guestOf(target: Target, canvas: Stage, email?: string): Promise<Guest> {
  return accept(target, await invite(target, canvas, email));
}

/** Revokes the invitation of a guest, as the owner of the canvas. */
export async function revoke(target: Target, { id, people }: Stage, { invite }: Guest): Promise<void> {
  const answer = await manage(target, people.owner, "DELETE", `/api/canvases/${id}/invites/${invite.id}`);
  assert.equal(answer.status, 204, `DELETE invite: ${answer.text}`);
}
