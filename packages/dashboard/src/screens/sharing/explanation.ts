import type { Canvas, Explanation } from "../../api/types.ts";
import { listOf } from "../../kit/words.ts";

/** What the words need of the canvas as it is saved. */
export type Explained = Pick<Canvas, "capabilitiesOff" | "version">;
type Permissions = Explanation["permissions"];
type Resources = Explanation["resources"];

/** Whether somebody gets in, in words. */
export interface Answer {
  /** `in`: the pages open. `password`: they open after the password. `out`: they do not open. */
  verdict: "in" | "password" | "out";
  /** One sentence. */
  first: string;
  /** Further sentences: why, and what they may not do. */
  more: string[];
}

/** Why the pages stay closed, by the error of the first refusal. */
const CLOSED: Record<NonNullable<Explanation["code"]>, string> = {
  NOT_AUTHENTICATED: "they have to sign in, as somebody who has access",
  NOT_FOUND: "there is no page to open",
  ARCHIVED: "it is archived",
  DISABLED: "an administrator has disabled it",
  NOT_INVITED: "their invitation is for another canvas",
  OWNER_ONLY: "it is not shared with them",
  SHARE_EXPIRED: "access has ended",
  PASSWORD_REQUIRED: "they have to enter the password",
  STATIC_ONLY: "its backend is closed",
  CAPABILITY_DISABLED: "its backend is switched off",
};

type Rights = Resources["collections"][string];

const mayAny = (all: Record<string, Rights>, operations: readonly (keyof Rights)[]): boolean =>
  Object.values(all).some((rights) => operations.some((each) => rights[each].own || rights[each].any));

const isEditor = ({ role }: Pick<Explanation, "role">) => role === "owner" || role === "editor";

/** Says what somebody whom the backend answers may do with its data, the strongest first. Null for nothing. */
function withData({ permissions, resources: { collections } }: Explanation): string | null {
  if (mayAny(collections, ["create", "update", "delete", "increment"])) return "write records";
  if (mayAny(collections, ["read"])) return "read records";
  if (permissions.canSubmit) return "send submissions";
  return permissions.canReadSharedData ? "read shared keys" : null;
}

/** Says what somebody may not do that others may, because the canvas has it switched on. */
function lacking(explanation: Explanation, calls: boolean, { capabilitiesOff }: Explained): string[] {
  const can = (
    capability: keyof Explained["capabilitiesOff"],
    permission: keyof Permissions,
    words: string,
  ) =>
    calls && capabilitiesOff[capability] === undefined && !explanation.permissions[permission] ? [words] : [];
  return [
    ...(isEditor(explanation) ? [] : ["change files"]),
    ...can("kv", "canWriteSharedData", "write shared keys"),
    ...can("ai", "canUseAi", "use AI"),
    ...can("authoring", "canCreateCanvas", "make canvases from the page"),
  ];
}

/** Says by what somebody has their role, such as "team Design (viewer)". */
export function grantWords({ via, role, team }: Explanation["grants"][number]): string {
  switch (via) {
    case "owner":
      return "they own it";
    case "person":
      return `the list (${role})`;
    case "team":
      return `${team === undefined ? "a team that you do not see" : `team ${team}`} (${role})`;
    case "organisation":
      return `everyone in the organisation (${role})`;
    case "invitation":
      return `their invitation (${role})`;
    case "link":
      return `anyone with the address (${role})`;
  }
}

/** Puts an explanation in words. `who` begins a sentence, such as a name. */
export function answerOf(explanation: Explanation, who: string, canvas: Explained): Answer {
  const { pages, api, code, steps, grants, permissions, subject } = explanation;
  const ways = grants.length === 0 ? [] : [`Because: ${grants.map(grantWords).join("; ")}.`];
  // Somebody who is named otherwise is no address that was asked about.
  const unknown =
    subject.kind === "unknown" && subject.email === who
      ? ["Nobody has signed in with this address here. This holds for the first sign-in."]
      : [];
  const asksPassword = steps.some(({ rule, outcome }) => rule === "password" && outcome === "refused");
  // What comes after the password is not in the steps: whether there is a page, the canvas itself says.
  const opens = pages || (asksPassword && canvas.version !== null);
  // The permissions are those after the password.
  const calls = api || (asksPassword && Object.values(permissions).some(Boolean));
  const data = calls ? withData(explanation) : null;
  if (!opens) {
    const cause = asksPassword ? CLOSED.NOT_FOUND : CLOSED[codeOfPages(explanation) ?? "OWNER_ONLY"];
    const answered = data === null ? [] : [`Its backend answers them: they can ${data}.`];
    const otherwise = grants.length === 0 ? [] : [`Otherwise they would have access. ${ways.join(" ")}`];
    return {
      verdict: "out",
      first: `${who} cannot open it: ${cause}.`,
      more: [...answered, ...otherwise, ...unknown],
    };
  }
  const acts = ["open the pages", data, isEditor(explanation) ? "change the canvas" : null];
  const what = listOf(acts.filter((each) => each !== null));
  const closed = calls || code === null ? [] : [closedBackend(canvas)];
  const nots = lacking(explanation, calls, canvas);
  return {
    verdict: asksPassword ? "password" : "in",
    first: `${who} can ${what}${asksPassword ? ", after entering the password" : ""}.`,
    more: [...ways, ...closed, ...(nots.length === 0 ? [] : [`Not: ${listOf(nots)}.`]), ...unknown],
  };
}

/** Returns the error with which the pages are refused. */
function codeOfPages({ steps, code }: Explanation): Explanation["code"] {
  const step = steps.find(({ closes }) => closes.includes("pages"));
  return step?.rule === "published" ? "NOT_FOUND" : code;
}

/** Says why the backend does not answer somebody for whom the pages open. */
const closedBackend = ({ capabilitiesOff }: Explained): string =>
  capabilitiesOff.identity === undefined
    ? "Data and backend are closed to them."
    : "The backend is switched off.";

/** Says what a step refuses. */
export const closesWords = (closes: Explanation["steps"][number]["closes"]): string =>
  closes.length === 2 ? "Refused" : closes[0] === "api" ? "Refused: the backend" : "Refused: the pages";

/** Each permission in words, in the order in which they are shown. */
export const PERMISSIONS: Record<keyof Permissions, string> = {
  canEditContent: "Change files, title and sharing",
  canManageVersions: "Publish and roll back versions",
  canReadSharedData: "Read shared keys",
  canWriteSharedData: "Write shared keys",
  canSavePreferences: "Keep keys of their own",
  canSubmit: "Send submissions",
  canManageSubmissions: "Read and delete submissions of others",
  canUploadSubmissionFiles: "Upload files of their own",
  canUploadSharedFiles: "Upload files for all",
  canUseAi: "Use AI",
  canUseConnections: "Use Connections",
  canPublishParticipantEvents: "Send events to channels of participants",
  canPublishSharedEvents: "Send events to all channels",
  canCreateCanvas: "Make canvases from the page",
};

const OPERATIONS: Record<keyof Rights, string> = {
  read: "read",
  create: "create",
  update: "change",
  delete: "delete",
  increment: "count up",
};

/** Says what somebody may do with a collection or a file group, such as "read all, create, change their own". */
export function rightsWords(rights: Rights): string {
  const words = (Object.keys(OPERATIONS) as (keyof Rights)[]).flatMap((operation) => {
    const { own, any } = rights[operation];
    if (!own && !any) return [];
    if (operation === "create") return [OPERATIONS.create];
    return [`${OPERATIONS[operation]} ${any ? "all" : "their own"}`];
  });
  return words.length === 0 ? "nothing" : words.join(", ");
}
