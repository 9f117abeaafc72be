import type { CanvasListName } from "@easel/protocol/management";
import type { PublicationStatus } from "@easel/protocol/types";
import type { FastifyInstance } from "fastify";
import type { User } from "../access/principal.ts";
import { manages } from "../access/roles.ts";
import { formatPosition, type Position, parsePosition } from "../canvases/list-order.ts";
import { type ListedRow, listCanvases } from "../canvases/lists.ts";
import { publicationStatus, statusFieldsOf } from "../canvases/publication-status.ts";
import type { Env } from "../env.ts";
import { address, day, type Html, html, sendPage } from "../http/html.ts";
import { firstValue, type Query } from "../http/query.ts";
import { wantsPage } from "../http/request-headers.ts";
import { identify } from "../identity/identify.ts";
import { challenge } from "../sign-in/challenge.ts";

/** Where a page of a list starts. `page` is the number of the page, from 1; `after` is the position of the last canvas of the previous one. */
interface Cursor {
  page: number;
  after: Position | null;
}

/** The cursor of the first page. */
const FIRST: Cursor = { page: 1, after: null };

/** Serializes a cursor for a query parameter. */
const formatCursor = ({ page, after }: Cursor): string =>
  after === null ? "" : `${page}.${formatPosition("updated", after)}`;

/** Parses the cursor in the query parameter `name`. Returns the cursor of the first page if the parameter is absent or malformed. */
function parseCursor(query: Query, name: string): Cursor {
  const [, page, position = ""] = /^([1-9]\d{0,5})\.(.+)$/.exec(firstValue(query, name) ?? "") ?? [];
  const after = parsePosition("updated", position);
  return after === null ? FIRST : { page: Number(page), after };
}

/** Functions that return the text of each publication status on a card; null for `published`, which has no text. */
const STATES: Record<PublicationStatus, (row: ListedRow) => string | null> = {
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
function card(row: ListedRow, { base, clock }: Env): Html {
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

/** The number of canvases on a page of a list. */
const PAGE_SIZE = 24;

/**
 * A list on the home page. `name` is the name of the query parameter that contains the cursor of the list, and the id of the heading in the
 * HTML.
 */
interface Group {
  name: string;
  heading: string;
  list: CanvasListName;
}

const GROUPS: Group[] = [
  { name: "mine", heading: "Owned by you", list: "mine" },
  { name: "shared", heading: "Shared with you", list: "shared" },
  { name: "listed", heading: "In your organisation", list: "organisation" },
];

/** A list on the home page, with the rows of its current page. */
interface GroupPage extends Group {
  cursor: Cursor;
  rows: ListedRow[];
  /** The cursor of the next page. Null on the last page. */
  next: Cursor | null;
}

/** Mounts the home page, `/`. It lists the caller's own canvases, those shared with the caller, and those listed for the organisation. */
export function mountHome(app: FastifyInstance, env: Env): void {
  // Redirects the URL of a canvas without its slug to the home page.
  for (const folder of ["/c", "/c/"]) app.get(folder, async (_request, reply) => reply.redirect("/"));

  app.get("/", async (request, reply) => {
    const { user } = await identify(request.raw, reply, env);
    if (user.kind === "visitor") {
      // Programs that have nothing but the address of the service find its instructions here.
      const help = `${env.base.origin}/skill.md`;
      reply.header("link", `<${help}>; rel="help"`);
      // Programs do not render the sign-in page to which they are redirected with OpenID Connect: the body names the instructions.
      if (env.config.authMode === "oidc" && !wantsPage(request.headers))
        return reply.code(302).header("location", `${env.base.origin}/auth/login`).send({ help });
      return challenge(request.raw, "page", env, { help });
    }
    const shown = await Promise.all(
      GROUPS.map((group) => read(group, parseCursor(request.query as Query, group.name), user, env)),
    );
    const filled = shown.filter(({ rows, cursor }) => rows.length > 0 || cursor.page > 1);
    return sendPage(reply, {
      title: "Your canvases",
      body: html`<div class="top"><h1>Your canvases</h1>${accountLinks(user, env)}</div>
        ${
          filled.length > 0
            ? filled.map((group) => section(group, shown, env))
            : html`<p>There is no canvas here for you yet. Publish a folder or have one shared with you, and it appears here.</p>`
        }`,
    });
  });
}

async function read(group: Group, cursor: Cursor, user: User, env: Env): Promise<GroupPage> {
  const query = { list: group.list, order: "updated", after: cursor.after, limit: PAGE_SIZE } as const;
  const { entries: rows, nextCursor } = await listCanvases(user, query, env);
  const after = nextCursor === null ? null : parsePosition("updated", nextCursor);
  return { ...group, cursor, rows, next: after === null ? null : { page: cursor.page + 1, after } };
}

function section(group: GroupPage, all: GroupPage[], env: Env): Html {
  const { name, heading, cursor, rows } = group;
  const cards = rows.map((row) => html`<li>${card(row, env)}</li>`);
  return html`<section aria-labelledby="${name}"><h2 id="${name}">${heading}</h2>
    ${cards.length > 0 ? html`<ul class="grid">${cards}</ul>` : html`<p>Nothing is left on this page.</p>`}
    ${cursor.page === 1 && group.next === null ? null : pages(group, all)}</section>`;
}

/**
 * Renders the links to the first and the next page of one list. The URLs contain the cursors of all lists, so that the other lists stay on
 * their current pages.
 */
function pages({ name, heading, cursor, next }: GroupPage, all: GroupPage[]): Html {
  const link = (to: Cursor, rel: string, label: string) => {
    const cursors = all.map((each) => [each.name, each.name === name ? to : each.cursor] as const);
    const query = new URLSearchParams(
      cursors.filter(([, { page }]) => page > 1).map(([of, at]) => [of, formatCursor(at)]),
    );
    return html`<a rel="${rel}" href="/?${query.toString()}#${name}">${label}</a>`;
  };
  return html`<nav class="links" aria-label="Pages of ${heading}">
    ${cursor.page === 1 ? null : link(FIRST, "first", "Newest")}
    <span aria-current="page">Page ${cursor.page}</span>
    ${next === null ? null : link(next, "next", "Older")}</nav>`;
}

/**
 * Renders the user's e-mail address, links to the documentation and to the user's access tokens, a link to sign in as another user, and a button to sign out.
 * Omits the link to tokens for guests. If a proxy signs users in, omits the link to sign in, and shows the button only to guests.
 */
function accountLinks({ email, kind }: User, { config }: Env): Html {
  const proxy = config.authMode === "proxy";
  const other = proxy ? null : html`<a href="/auth/login?anew=1">Sign in as someone else</a>`;
  const out =
    proxy && kind === "member"
      ? null
      : html`<form method="post" action="/auth/logout"><button>Sign out</button></form>`;
  const tokens = kind === "member" ? html`<a href="/tokens">Access tokens</a>` : null;
  return html`<div class="links"><span>${address(email)}</span><a href="/docs">Documentation</a>${tokens}${other}${out}</div>`;
}
