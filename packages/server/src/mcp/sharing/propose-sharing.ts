import type { Html } from "../../http/html.ts";
import { html } from "../../http/html.ts";
import type { Propose } from "../confirmation/proposal.ts";
import {
  changes,
  openedBy,
  readSharingNow,
  type SharingChange,
  saveChange,
  teamNamesFor,
} from "./sharing-change.ts";
import { changesInWords } from "./sharing-words.ts";
import { type Openness, type Widening, wideningsOf } from "./widening.ts";

/** What follows from a widening, for the person. */
const NOTES: Partial<Record<Widening, string>> = {
  public_link:
    "The link works for anyone in the world who gets it. They see the pages; data and live messages stay closed to them.",
  organisation: "Everyone in your organisation may open the pages and use their data as viewers.",
  roles: "Editors change the pages and the data, and share the canvas with others.",
  guests:
    "Guests are people outside of your organisation. Each gets a link, which you see here once and send to them yourself.",
  password: "The link then opens without a password.",
};

const notesFor = (before: Openness, after: Openness): string[] =>
  wideningsOf(before, after).flatMap((each) => NOTES[each] ?? []);

/** Renders the links of new guests for the person who sends them. */
const linksOf = (links: { email: string; url: string }[]): Html | null =>
  links.length === 0
    ? null
    : html`<p>Send each guest their link. It is shown only this once.</p>
        <ul>${links.map(({ email, url }) => html`<li class="card"><strong><bdi>${email}</bdi></strong>${url}</li>`)}</ul>`;

/** What a person is asked before a tool shares a canvas with more people. */
export const proposeSharing: Propose = async ({ canvas: id, args }, by) => {
  const change = args as SharingChange;
  const now = await readSharingNow(id, by);
  const after = openedBy(change, now);
  if (!changes(now.openness, after)) return null;
  const teamNames = change.teams === undefined ? now.teamNames : await teamNamesFor(now, by);
  return {
    canvas: now.canvas,
    heading: "Open this canvas to more people?",
    changes: changesInWords(now.openness, after, teamNames),
    notes: notesFor(now.openness, after),
    revision: now.canvas.sharingRevision ?? "",
    perform: async () => linksOf(await saveChange(now, after, change.password, by)),
  };
};
