/*
 * Restates the access rules as rows in the order of the specification (4.1, steps 1, 3 and 5), without any code of the service. A cell is
 * one case: a caller, a state of the canvas, and the surface (the API or the page).
 */

/** The callers. The last two exist only with organisations. */
export const ROLES = [
  "owner",
  "editor by list",
  "editor by team",
  "viewer by list",
  "viewer by team",
  "member",
  "administrator",
  "guest",
  "guest of another canvas",
  "nobody",
  "member of another organisation",
  "viewer by list, of another organisation",
] as const;

/** The general access of the canvas. Public links may be switched off for its owner or for the instance. */
export const RUNGS = [
  "private",
  "whole_org",
  "public_link",
  "public_link, off for the owner",
  "public_link, off for the instance",
] as const;

/** The state of the canvas. */
export const STATES = [
  "active",
  "archived",
  "disabled",
  "deleted",
  "disabled and deleted",
  "unpublished",
  "draft",
  "backend off",
] as const;

/** Whether the canvas has a password, and whether the caller has entered it. */
export const PASSWORDS = ["none", "set", "set and given"] as const;

/** The expiry of the share. */
export const EXPIRIES = ["none", "future", "past"] as const;

/** The runtime API (`GET /v1/c/{slug}/me`) or the canvas's page. */
export const SURFACES = ["api", "page"] as const;

/** One case: a caller, a state of the canvas, and the surface. */
export interface Cell {
  role: (typeof ROLES)[number];
  rung: (typeof RUNGS)[number];
  state: (typeof STATES)[number];
  password: (typeof PASSWORDS)[number];
  expiry: (typeof EXPIRIES)[number];
  surface: (typeof SURFACES)[number];
}

const is =
  <Name extends keyof Cell>(name: Name, ...values: Cell[Name][]) =>
  (cell: Cell) =>
    values.includes(cell[name]);

const nobody = is("role", "nobody");
const manages = is("role", "owner", "editor by list", "editor by team");
const isGuest = is("role", "guest", "guest of another canvas");
const invited = is("role", "viewer by list", "viewer by team", "viewer by list, of another organisation");
const ofTheOrganisation = is("role", "member", "administrator");
const isPublic = ({ rung }: Cell) => rung.startsWith("public_link");

const isDeleted = is("state", "deleted", "disabled and deleted");

/**
 * Whether the canvas of a cell is, in the words of the specification, an "active, unexpired Public link canvas (public links enabled for
 * the instance and the owner)".
 */
const openToAnyone = (cell: Cell) =>
  cell.rung === "public_link" &&
  !is("state", "archived", "disabled", "unpublished", "draft")(cell) &&
  !isDeleted(cell) &&
  cell.expiry !== "past";

/**
 * Whether the caller of a cell is, in the words of the specification, "not on the people-and-teams list (directly or via team) and not
 * admitted by general access".
 */
const hasNoRouteIn = (cell: Cell) => {
  if (manages(cell) || invited(cell) || isGuest(cell)) return false;
  if (cell.rung === "public_link") return false;
  return !(cell.rung === "whole_org" && ofTheOrganisation(cell));
};

/** The refusals: status and code of the API; a page has the same status without the code. The first refusal that applies is the outcome. */
const REFUSALS: [says: string, applies: (cell: Cell) => boolean, answer: string][] = [
  ["step 1: no session", (cell) => nobody(cell) && !openToAnyone(cell), "401"],
  ["step 3: unknown slug or canvas deleted", isDeleted, "404 NOT_FOUND"],
  ["canvas archived", is("state", "archived"), "404 ARCHIVED"],
  ["admin disabled the canvas (owner not exempt)", is("state", "disabled"), "403 DISABLED"],
  ["guest principal scoped to a different canvas", is("role", "guest of another canvas"), "404 NOT_INVITED"],
  ["viewer has no route in", hasNoRouteIn, "404 OWNER_ONLY"],
  [
    "share expiry passed (for anyone but owner/editors)",
    (cell) => cell.expiry === "past" && !manages(cell),
    "404 SHARE_EXPIRED",
  ],
  [
    "password set and no valid cookie; owner and editors pass, guests skip the gate",
    (cell) => cell.password === "set" && !manages(cell) && !isGuest(cell),
    "403 PASSWORD_REQUIRED",
  ],
  [
    "Public link canvas and viewer is not owner/editor (also signed-in members); the whole runtime API is closed",
    (cell) => cell.surface === "api" && isPublic(cell) && !manages(cell),
    "403 STATIC_ONLY",
  ],
  [
    "step 5: the canvas backend is off",
    (cell) => cell.surface === "api" && cell.state === "backend off",
    "403 CAPABILITY_DISABLED",
  ],
  [
    "nothing is published; the runtime API stays open to the admitted",
    (cell) => cell.surface === "page" && is("state", "unpublished", "draft")(cell),
    "404 NOT_FOUND",
  ],
];

/**
 * Returns the outcome that the specification prescribes for a cell: `200`, or the status of the refusal, in the API followed by its code.
 */
export function expected(cell: Cell): string {
  const answer = REFUSALS.find(([, applies]) => applies(cell))?.[2] ?? "200";
  if (cell.surface === "api") return answer;
  // Where the API responds with 401, the page redirects to the sign-in.
  return answer === "401" ? "302" : answer.slice(0, 3);
}
