import { type Fault, fault } from "../fault.ts";

const MOUNT = "packages/server/src/dashboard/mount.ts";
const DOCUMENTS = "packages/server/test/dashboard/documents.test.ts";
const SECURITY = "packages/server/test/dashboard/browser-dashboard-security.test.ts";
const PREFERENCES = "packages/dashboard/src/frame/preferences.ts";

const SHARING = "packages/dashboard/src/screens/sharing";
const CHANGES = `${SHARING}/changes.ts`;
const WIDENING = `${SHARING}/widening.ts`;
const EXPLANATION = `${SHARING}/explanation.ts`;

const VERSIONS = "packages/dashboard/src/screens/versions";
const DATA = "packages/dashboard/src/screens/data";
const CONTENT = "packages/dashboard/src/kit/file-content.ts";

const PLAN = "packages/dashboard/src/screens/admin/people/offboarding/plan.ts";
const PROFILE = "packages/dashboard/src/screens/admin/connections/profile.ts";
const DOMAINS = "packages/dashboard/src/screens/admin/organisations/domains.ts";
const PARSED = "packages/dashboard/src/screens/admin/search.ts";

/** Faults of the administration: what is entered is not what is done. */
const administration: Fault[] = [
  fault(
    "dashboard: a screen that comes back is shown to anybody",
    "packages/dashboard/src/frame/restored.ts",
    "if (persisted) location.reload();",
    "document.documentElement.hidden = !persisted;",
    "packages/server/test/dashboard/browser-restored.test.ts",
  ),
  fault(
    "dashboard: browsers keep its document",
    "packages/server/src/dashboard/mount.ts",
    'const NEVER = "private, no-store";',
    'const NEVER = "private, no-cache";',
    "packages/server/test/dashboard/documents.test.ts",
  ),
  fault(
    "dashboard: signing out leaves pages in the cache of the back button",
    "packages/server/src/sign-in/routes.ts",
    '.header("clear-site-data", \'"cache"\')',
    "",
    "packages/server/test/content/browser-back.test.ts",
  ),
  fault(
    "dashboard: a canvas goes to somebody else than was chosen",
    PLAN,
    "choice.others[id] ?? choice.to",
    "choice.to",
    PLAN.replace(".ts", ".test.ts"),
  ),
  fault(
    "dashboard: saving a Connection removes its stored headers",
    PROFILE,
    '...(headers === "keep"\n    ? {}',
    '...(headers === "keep"\n    ? { headers: {} }',
    PROFILE.replace(".ts", ".test.ts"),
  ),
  fault(
    "dashboard: the stored headers of a Connection are to go to another origin",
    PROFILE,
    "url.origin !== profile.origin",
    "url.origin === profile.origin",
    PROFILE.replace(".ts", ".test.ts"),
  ),
  fault(
    "dashboard: a domain moves between organisations without a word",
    DOMAINS,
    " || taken.length > 0",
    "",
    DOMAINS.replace(".ts", ".test.ts"),
  ),
  fault(
    "dashboard: the address of a list of the administration has any filter",
    PARSED,
    "values.find((each) => each === value)",
    "value as Value",
    PARSED.replace(".ts", ".test.ts"),
  ),
];

/** Faults of the screen of versions: a comparison hides what differs, or shows what is no text. */
const versions: Fault[] = [
  fault(
    "dashboard: characters that reorder a text are not spelled",
    CONTENT,
    "\\u202a-\\u202e",
    "\\u202a-\\u202b",
    "packages/dashboard/src/kit/file-content.test.ts",
  ),
  fault(
    "dashboard: bytes with a NUL count as text",
    CONTENT,
    "bytes.includes(0)",
    "bytes.length < 0",
    "packages/dashboard/src/kit/file-content.test.ts",
  ),
  fault(
    "dashboard: the first difference of a long line is cut",
    CONTENT,
    "same === text.length || same < BEFORE ? 0 : same - BEFORE",
    "0",
    "packages/dashboard/src/kit/file-content.test.ts",
  ),
  fault(
    "dashboard: a file that changed its bytes counts as the same",
    `${VERSIONS}/compare.ts`,
    "old.sha256 !== file.sha256",
    "old.size !== file.size",
    `${VERSIONS}/compare.test.ts`,
  ),
  fault(
    "dashboard: lines at the end of a comparison are lost",
    `${VERSIONS}/lines.ts`,
    "  flush([]);\n  return rows;",
    "  return rows;",
    `${VERSIONS}/lines.test.ts`,
  ),
];

/** Faults of the sharing screen: more people get in unasked, a change overwrites that of somebody else, and the words are not what happens. */
const sharing: Fault[] = [
  fault(
    "dashboard: a wider general access is not asked",
    WIDENING,
    "if (WIDTHS.indexOf(after.access) > WIDTHS.indexOf(terms.access))",
    "if (after.access !== terms.access && after.access !== 'public_link')",
    `${SHARING}/widening.test.ts`,
  ),
  fault(
    "dashboard: removing the password is not asked",
    WIDENING,
    "terms.hasPassword && !after.hasPassword",
    "terms.hasPassword && after.hasPassword",
    `${SHARING}/widening.test.ts`,
  ),
  fault(
    "dashboard: a change overwrites what somebody else has changed meanwhile",
    CHANGES,
    "roleOfPerson(shown, email) !== roleOfPerson(read, email) && roleOfPerson(read, email) !== role",
    "false",
    `${SHARING}/changes.test.ts`,
  ),
  fault(
    "dashboard: a password hides that there is no page behind it",
    EXPLANATION,
    "asksPassword && canvas.version !== null",
    "asksPassword",
    `${SHARING}/explanation.test.ts`,
  ),
];

/** Faults of the document of the dashboard: what its policy lets in, and who gets it. */
export const dashboard: Fault[] = [
  ...administration,
  ...versions,
  ...sharing,
  fault(
    "dashboard: a canvas that opens it in a window gets hold of it",
    MOUNT,
    '"cross-origin-opener-policy": "same-origin"',
    '"cross-origin-opener-policy": "unsafe-none"',
    SECURITY,
  ),
  fault(
    "dashboard: pages of its origin may frame it",
    MOUNT,
    `"frame-ancestors 'none'"`,
    `"frame-ancestors 'self'"`,
    DOCUMENTS,
  ),
  fault(
    "dashboard: browsers that know no policy let pages of its origin frame it",
    MOUNT,
    '"x-frame-options": "DENY"',
    '"x-frame-options": "SAMEORIGIN"',
    DOCUMENTS,
  ),
  fault(
    "dashboard: it may frame canvases that share its origin",
    MOUNT,
    `canvasHosts === null ? "'none'"`,
    `canvasHosts === null ? "'self'"`,
    DOCUMENTS,
  ),
  fault(
    "dashboard: inline scripts run",
    MOUNT,
    `"script-src 'self'"`,
    `"script-src 'self' 'unsafe-inline'"`,
    DOCUMENTS,
  ),
  fault(
    "dashboard: scripts may be made of text",
    MOUNT,
    `"trusted-types 'none'"`,
    `"trusted-types *"`,
    DOCUMENTS,
  ),
  fault(
    "dashboard: it may send what it knows to other services",
    MOUNT,
    "`connect-src 'self' ",
    "`connect-src * ",
    DOCUMENTS,
  ),
  fault(
    "dashboard: a guest sees it",
    MOUNT,
    'if (user.kind === "guest") return',
    'if (user.kind === "guest" && request.url === "") return',
    DOCUMENTS,
  ),
  fault(
    "dashboard: a visitor sees it",
    MOUNT,
    'if (user.kind === "visitor") return',
    'if (user.kind === "visitor" && request.url === "") return',
    DOCUMENTS,
  ),
  fault(
    "dashboard: it takes any value from a storage that canvases share",
    PREFERENCES,
    "allowed.find((value) => value === stored)",
    "(stored as Value | null)",
    "packages/dashboard/src/frame/preferences.test.ts",
  ),
  fault(
    "dashboard: a cell of the CSV is run as a formula",
    `${DATA}/submissions/csv.ts`,
    "guardCell(cell)",
    "cell",
    `${DATA}/submissions/csv.test.ts`,
  ),
  fault(
    "dashboard: a new key is written over an existing one",
    `${DATA}/keys/KeyEditor.tsx`,
    "if ((await scope.get(key)) !== undefined) return false;",
    "",
    "packages/server/test/dashboard/browser-data-keys.test.ts",
  ),
  fault(
    "dashboard: a file that is dropped on the files becomes a version",
    `${DATA}/window-drop.ts`,
    "event.stopPropagation();",
    "",
    "packages/server/test/dashboard/browser-data-files.test.ts",
  ),
  fault(
    "dashboard: a deletion that waits is sent in the name of the next person",
    `${DATA}/deletions.ts`,
    "if (!isSignedOut()) for",
    "for",
    "packages/server/test/dashboard/browser-data.test.ts",
  ),
  fault(
    "dashboard: a record is written over what somebody else has made of it",
    `${DATA}/collections/RecordEditor.tsx`,
    ", { expectedUpdatedAt: read.updatedAt }",
    "",
    "packages/server/test/dashboard/browser-data.test.ts",
  ),
  fault(
    "dashboard: reads use up the requests of the minute",
    "packages/dashboard/src/api/pace.ts",
    'access === "read" ? RESERVE : 1',
    "1",
    "packages/dashboard/src/api/pace.test.ts",
  ),
];
