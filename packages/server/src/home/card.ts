import type { PublicationStatus } from "@easel/protocol/types";
import { manages } from "../access/roles.ts";
import { publicationStatus, statusFieldsOf } from "../canvases/publication-status.ts";
import type { Env } from "../env.ts";
import { day } from "../http/day.ts";
import { type Html, html } from "../http/html.ts";
import type { HomeRow } from "./store.ts";

/** Functions that return the text of each publication status on a card; null for `published`, which has no text. */
const STATES: Record<PublicationStatus, (row: HomeRow) => string | null> = {
  disabled: ({ disabled_reason: reason }) => `Disabled by an administrator${reason ? `: ${reason}` : ""}`,
  archived: () => "Archived",
  unpublished: () => "Unpublished",
  draft: () => "Draft: nothing is published yet",
  expired: () => "Expired: only its owner and editors can open it",
  published: () => null,
};

/**
 * Renders a canvas on the home page as a card, which is a link if the user can open the canvas. Shows the status unless it is `published`.
 */
export function card(row: HomeRow, { base, clock }: Env): Html {
  const status = publicationStatus(statusFieldsOf(row), clock());
  const state = STATES[status](row);
  const content = html`<strong>${row.title}</strong>
    <small>${row.slug}${row.role === "owner" ? null : ` · ${row.role}`}</small>
    ${state === null ? null : html`<small class="state">${state}</small>`}
    <small>Changed ${day(row.updated_at)}</small>`;
  return status === "published" || (status === "expired" && manages(row.role))
    ? html`<a class="card" href="${base.canvasUrl(row.slug)}">${content}</a>`
    : html`<div class="card">${content}</div>`;
}
