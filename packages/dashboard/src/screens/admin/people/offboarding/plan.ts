import type { Handover } from "../../../../api/types.ts";

export type OwnedCanvas = Handover["canvases"][number];

/** The new owners: one person, or another one for some canvases. */
export interface Choice {
  /** The address of the person who takes what nobody else is chosen for. */
  to: string;
  /** The addresses of others by the id of a canvas. */
  others: Readonly<Record<string, string>>;
  /** Whether `to` also takes the teams. */
  teams: boolean;
}

/** What one person takes. */
export interface Share {
  to: string;
  canvases: OwnedCanvas[];
  teams: boolean;
}

/** The people who edit canvases of somebody, with how many of them. Those who edit the most come first. */
export function editorsOf(canvases: readonly OwnedCanvas[]): { email: string; canvases: number }[] {
  const counts = new Map<string, number>();
  for (const { editors } of canvases)
    for (const email of editors) counts.set(email, (counts.get(email) ?? 0) + 1);
  return [...counts]
    .map(([email, count]) => ({ email, canvases: count }))
    .sort((a, b) => b.canvases - a.canvases || (a.email < b.email ? -1 : 1));
}

/** Chooses for each canvas the first of its editors. Those without one are left to the person who takes the rest. */
export const editorsFirst = (canvases: readonly OwnedCanvas[]): Record<string, string> =>
  Object.fromEntries(
    canvases.flatMap(({ id, editors: [first] }) => (first === undefined ? [] : [[id, first]])),
  );

/** Returns what each person takes. People who take nothing are left out. The person with the teams comes last. */
export function sharesOf(canvases: readonly OwnedCanvas[], hasTeams: boolean, choice: Choice): Share[] {
  const byPerson = Map.groupBy(canvases, ({ id }) => choice.others[id] ?? choice.to);
  const rest = byPerson.get(choice.to) ?? [];
  byPerson.delete(choice.to);
  const teams = hasTeams && choice.teams;
  return [
    ...[...byPerson].map(([to, canvases]) => ({ to, canvases, teams: false })),
    ...(rest.length > 0 || teams ? [{ to: choice.to, canvases: rest, teams }] : []),
  ];
}
