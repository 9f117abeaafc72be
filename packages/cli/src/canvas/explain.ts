import type { AccessExplanation, AccessGrant, AccessStep } from "@easel/protocol/management";
import { type CanvasOptions, findCanvas } from "../api/find-canvas.ts";
import { bodyOf, type Service } from "../api/service.ts";
import type { Context } from "../context.ts";
import { fail } from "../exit.ts";
import { clean } from "../terminal/clean.ts";
import type { Column } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { normalized, readGuests } from "./guests.ts";

/** The flags of `easel explain`. */
export interface ExplainOptions extends CanvasOptions {
  /** Whether the address is that of an invited guest. */
  guest?: boolean;
  anonymous?: boolean;
}

/** The parameters of a request that name a person. */
type Whom = { email: string } | { invite: string } | { as: "anonymous" };

/** Throws a usage error unless the arguments name one person. */
function requireOnePerson(email: string | undefined, { guest, anonymous }: ExplainOptions): void {
  if (email === undefined ? anonymous && !guest : !anonymous) return;
  fail("Name one person.", {
    exit: "usage",
    hint: "Give an e-mail address, with --guest that of a guest, or --anonymous.",
  });
}

/** Returns the newest invitation of a guest. Throws a `Failure` if there is none. */
async function inviteOf(email: string, canvasId: string, service: Service): Promise<string> {
  const guest = (await readGuests(canvasId, service)).find((each) => each.email === normalized(email));
  return (
    guest?.id ??
    fail(`\`${clean(email)}\` is not a guest of this canvas.`, {
      exit: "denied",
      hint: "`easel share` lists the guests.",
    })
  );
}

/** Says in one sentence what a person may open. */
function verdictOf({ subject, pages, api, role, code }: AccessExplanation): string {
  const { name, email } = subject;
  const who = email === null ? "Somebody who is not signed in" : name === null ? email : `${name} (${email})`;
  if (pages && api) return `${who} opens the pages and uses the backend, as ${role}.`;
  if (pages) return `${who} opens the pages, and cannot use the backend (${code}).`;
  if (api) return `${who} uses the backend, as ${role}, and cannot open the pages (${code}).`;
  return `${who} cannot open the canvas (${code}).`;
}

const ROUTES: Record<Exclude<AccessGrant["via"], "team">, string> = {
  owner: "ownership",
  person: "the people list",
  organisation: "the organisation",
  invitation: "an invitation",
  link: "the Public link",
};

const routeOf = ({ via, role, team }: AccessGrant): string =>
  `${via === "team" ? (team === undefined ? "a team" : `team ${team}`) : ROUTES[via]} (${role})`;

const COLUMNS: Column<AccessStep>[] = [
  { title: "RULE", cell: ({ rule }) => rule },
  { title: "OUTCOME", cell: ({ outcome }) => outcome.replace("_", " ") },
  { title: "BECAUSE", cell: ({ because }) => because, flexible: true },
];

/** Returns an explanation as text: the verdict, what refuses, the rules in their order, and what the person has. */
function textOf(explained: AccessExplanation, terminal: Terminal): string {
  const { steps, grants, permissions } = explained;
  const refused = steps.filter(({ outcome }) => outcome === "refused").map(({ because }) => because);
  const may = Object.entries(permissions).flatMap(([name, has]) => (has ? [name] : []));
  const facts = [
    ...(grants.length === 0 ? [] : [`Role by ${grants.map(routeOf).join(", ")}`]),
    ...(may.length === 0 ? [] : [`Permissions: ${may.join(", ")}`]),
  ];
  const lines = (texts: string[]) => texts.map((text) => `${clean(text)}\n`).join("");
  const end = facts.length === 0 ? "" : `\n${lines(facts)}`;
  return `${lines([verdictOf(explained), ...refused])}\n${terminal.table(steps, COLUMNS)}${end}`;
}

/** Prints whether a person may open a canvas, why, and what they may do there. */
export async function explain(
  email: string | undefined,
  options: ExplainOptions,
  context: Context,
): Promise<void> {
  requireOnePerson(email, options);
  const { service, canvas } = await findCanvas(options, context);
  const query: Whom =
    email === undefined
      ? { as: "anonymous" }
      : options.guest
        ? { invite: await inviteOf(email, canvas.id, service) }
        : { email };
  const params = { path: { id: canvas.id }, query };
  const explained = (await bodyOf(
    service.api.GET("/api/canvases/{id}/access", { params }),
  )) as AccessExplanation;
  context.terminal.result(explained, () => textOf(explained, context.terminal));
}
