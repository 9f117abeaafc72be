import { writeFile } from "node:fs/promises";
import path from "node:path";
import { CAPABILITIES } from "@easel/protocol/capabilities";
import { ERRORS } from "@easel/protocol/errors";
import { LIMITS } from "@easel/protocol/limits";
import { AUDIENCES, PRESETS, RIGHTS } from "@easel/protocol/policy";
import { CLOSE_CODES, FRAME_ERRORS } from "@easel/protocol/realtime";
import { PERMISSION_NEEDS } from "../access/permissions.ts";
import type { Setting } from "../config/kinds.ts";
import { SETTINGS } from "../config/settings.ts";
import { ACTS } from "../management/acts.ts";

const DOCS = path.join(import.meta.dirname, "../../../../docs");

const cell = (text: string) => text.replaceAll("|", "\\|");

function table(head: string[], rows: string[][]): string {
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n");
}

function fallback({ fallback: value, shown }: Setting<unknown>): string {
  if (shown !== undefined) return shown;
  if (value === null || (Array.isArray(value) && value.length === 0)) return "none";
  if (typeof value === "boolean") return value ? "`on`" : "`off`";
  return `\`${Array.isArray(value) ? value.join(",") : String(value)}\``;
}

const settings = () => `# Settings

Environment variables, read once at boot; a \`.env\` file in the working directory is read too. A mistake stops the boot and
every mistake is told at once. Secrets are never printed. An empty variable counts as unset.

${table(
  ["Variable", "Default", "May hold", "Meaning"],
  Object.values<Setting<unknown>>(SETTINGS).map((each) => [
    `\`${each.variable}\``,
    fallback(each),
    each.kind.may,
    each.meaning,
  ]),
)}
`;

const errors = () => `# Errors

Every refusal is JSON with a stable \`code\`, a \`message\` for people and the \`requestId\` that the log has too, plus the
fields that a code brings. The gateway's 401 alone is \`{ "error": … }\` without a code. The status is the usual one; a few
codes have another in some places, as their section of the specification says.

${table(
  ["Code", "Status", "Message, where there is no better one"],
  Object.entries(ERRORS).map(([code, { status, message }]) => [`\`${code}\``, String(status), message]),
)}

## Realtime

A [realtime](realtime.md) connection refuses a frame with an \`error\` frame, after which it stays open, unless a code below says otherwise:

${table(
  ["Code", "Message"],
  Object.entries(FRAME_ERRORS).map(([code, message]) => [`\`${code}\``, message]),
)}

${table(
  ["Closed with", "When"],
  Object.values(CLOSE_CODES).map(({ code, when }) => [String(code), when]),
)}
`;

const limits = () => `# Limits

${table(
  ["What", "Limit", "Past it"],
  Object.values(LIMITS).map(({ of, value, unit, past }) => [
    of,
    `${value.toLocaleString("en")} ${unit}`,
    past,
  ]),
)}

Request rates are [settings](settings.md): \`SERVICE_RATELIMIT_…\`. \`SERVICE_RATELIMIT_ENABLED=false\` lifts them, but no limit of the table above. A limited answer names its bucket in
\`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\` (epoch seconds); past it, 429 \`RATE_LIMITED\` comes with
\`Retry-After\` (seconds).
`;

const capabilities = () => `# Capabilities

A capability works when the canvas's backend is on, its own switch is on, and the deployment allows it. Otherwise its calls
are 403 \`CAPABILITY_DISABLED\` with a \`reason\` and a \`hint\`. Its owner and
editors set the switches by the [management API](management-api.md); \`npm run deploy\` switches the backend of a new canvas on:

\`\`\`sh
curl -b cookies -X PATCH -H 'content-type: application/json' http://localhost:3000/api/canvases/$ID/capabilities \\
  -d '{"backendEnabled":true}'
\`\`\`

${table(
  ["Capability", "Switch of the canvas", "What the deployment may say"],
  Object.entries(CAPABILITIES).map(([name, { switch: own, operatorHint }]) => [
    name,
    own === null ? "the backend itself" : `\`${own}\``,
    operatorHint ?? "nothing",
  ]),
)}
`;

const permissions = () => `# Permissions

A person has one role on a canvas: **owner**, **editor** or **viewer**. It comes from the canvas's rows on every request: owning it,
the people and teams it is shared with (the stronger role counts), or general access: \`whole_org\` makes everyone signed in a
viewer, or everyone of the canvas's home organisation where people belong to organisations; a Public link makes anyone a viewer of
its pages alone. A **guest** is invited to one canvas and a viewer there. Administrators of the instance have no role by that.

\`GET /me\` tells a page what its visitor may do:

${table(
  ["Permission", "Needs the capability", "Who"],
  Object.entries(PERMISSION_NEEDS).map(([name, { capability, manager, audience, guests }]) => [
    `\`${name}\``,
    capability ?? "",
    [
      manager
        ? "owner and editors"
        : audience
          ? `as \`${audience}\` of the canvas says`
          : "everyone admitted",
      guests && (guests === "never" ? "not guests" : `guests where \`${guests}\` is on`),
    ]
      .filter(Boolean)
      .join("; "),
  ]),
)}

They tell a page what to show. Every call is checked again when it is made.

## Records and files

The policy document of a canvas names its collections and file groups and gives each a preset. Each right says for whom:

${table(
  ["Right", "The author", "Owner and editors", "Everyone admitted"],
  Object.entries(RIGHTS).map(([name, { author, managers, everyone }]) => [
    `\`${name}\``,
    ...[author, managers, everyone].map((reaches) => (reaches ? "yes" : "")),
  ]),
)}

${table(
  ["Preset", ...["read", "create", "update", "delete"]],
  Object.entries(PRESETS).map(([name, rights]) => [
    `\`${name}\``,
    ...[rights.read, rights.create, rights.update, rights.delete].map((right) => `\`${right}\``),
  ]),
)}

\`overrides\` replaces single rights; \`create\` takes only ${AUDIENCES.map((each) => `\`${each}\``).join(", ")}. \`increment\` begins as the preset's \`update\`. To update,
delete or increment a record one must also be able to read it. Owner and editors do not read \`personal\` records, but for their own.
\`aggregateCount\` says who may count all records of a collection, those too that they cannot read. A count with conditions
(\`where\`) is of the records that the caller can read. A record that the caller cannot read is 404 \`NOT_FOUND\` to every operation on it.

\`resources\` of \`GET /me\` are the effective rights on all of this and on channels: none while the capability (\`kv\`, \`files\`, \`realtime\`) is off.
`;

const audit = () => `# Audit log

Every change through the [management API](management-api.md) is kept as an act: who made it (\`actor\`), when (\`at\`), on which
canvas (\`canvasId\`) or on what else (\`target\`), from which \`address\`, and \`details\` that never hold a password, a token or the link of an
invitation. It is kept before the change is answered. Reads and refused changes are not kept, and no route changes or removes an entry.
Administrators read it by \`GET /api/admin/audit\`, newest first.

The details of \`org.put\` and \`org.delete\` hold name and domains \`before\` and \`after\`. With \`SERVICE_TENANCY\` on, a domain decides who may open the
\`whole_org\` canvases of an organisation: an administrator who adds their own gets in, and these entries show it.

${table(
  ["Act", "Made by"],
  ACTS.filter(({ audited }) => audited)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, method, path }) => [`\`${name}\``, `\`${method} ${path}\``]),
)}
`;

/** The pages that are printed from tables, by file name. */
export const PAGES: Record<string, () => string> = {
  "settings.md": settings,
  "errors.md": errors,
  "limits.md": limits,
  "capabilities.md": capabilities,
  "permissions.md": permissions,
  "audit.md": audit,
};

if (import.meta.main) {
  for (const [name, print] of Object.entries(PAGES)) await writeFile(path.join(DOCS, name), print());
}
