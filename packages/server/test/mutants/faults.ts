// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are parts of source files.

/** A deliberate mistake in the code that the suite should catch. */
export interface Fault {
  title: string;
  /** From the root of the checkout, like the test files. */
  file: string;
  /** Occurs exactly once in the file. */
  search: string;
  replacement: string;
  /** Test files to run first, those that should catch it. */
  tests: string[];
}

const fault = (title: string, file: string, search: string, replacement: string, ...tests: string[]): Fault => ({
  title,
  file,
  search,
  replacement,
  tests,
});

/** Sixty mistakes, spread over the parts of the service and the SDK. Renamed code needs its text renamed here: the script says which. */
export const FAULTS: Fault[] = [
  fault("access: archived canvases stay open", "packages/server/src/access/ladder.ts", "canvas.archivedAt !== null", "false", "packages/server/src/access/ladder.test.ts"),
  fault("access: guests of another canvas are not NOT_INVITED", "packages/server/src/access/ladder.ts", "principal.guestOf !== canvas.id", "false", "packages/server/src/access/ladder.test.ts"),
  fault("access: a share expires one millisecond late", "packages/server/src/access/ladder.ts", "canvas.expiresAt <= now", "canvas.expiresAt < now", "packages/server/src/access/ladder.test.ts"),
  fault("access: guests are asked for the password", "packages/server/src/access/ladder.ts", "!manages(role) && !isGuest(principal) && !gateOpen", "!manages(role) && !gateOpen", "packages/server/src/access/ladder.test.ts"),
  fault("access: Whole org admits members of other organisations", "packages/server/src/access/roles.ts", "canvas.access === \"whole_org\" && canvas.inOrg", "canvas.access === \"whole_org\"", "packages/server/src/access/roles.test.ts", "packages/server/test/pipeline/matrix.test.ts"),
  fault("access: of several grants the weakest counts", "packages/server/src/canvases/access-lookup.ts", "select min(role) from grants", "select max(role) from grants", "packages/server/test/conformance/access.test.ts"),
  fault("access: Public links stay on when the instance switches them off", "packages/server/src/canvases/publishing/public-links.ts", "config.publicLinks && setting !== \"false\"", "config.publicLinks", "packages/server/test/pipeline/matrix.test.ts"),
  fault("access: viewers write shared data by their permissions", "packages/server/src/access/permissions.ts", "canWriteSharedData: { capability: \"kv\", manager: true }", "canWriteSharedData: { capability: \"kv\" }", "packages/server/src/access/permissions.test.ts"),
  fault("access: a right to delete needs no right to read", "packages/server/src/access/rights.ts", "? right : both(right, read)", "? right : right", "packages/server/src/access/rights.test.ts"),
  fault("pipeline: isolation comes before access", "packages/server/src/pipeline/index.ts", "const { canvas, role } = enterCanvas(", "isolate(page);\n  const { canvas, role } = enterCanvas(", "packages/server/test/conformance/access.test.ts"),
  fault("pipeline: a page of another canvas with a longer slug counts as one's own", "packages/server/src/pipeline/isolate.ts", "startsWith(`${folder}/`)", "startsWith(folder)", "packages/server/test/conformance/access.test.ts"),
  fault("pipeline: any origin is a canvas's own on canvas hosts", "packages/server/src/pipeline/isolate.ts", "origin === base.canvasOrigin(slug) ? \"own\"", "true ? \"own\"", "packages/server/test/conformance/modes.test.ts"),
  fault("pipeline: pages of other canvases spend what the caller has", "packages/server/src/pipeline/limit-requests.ts", "page !== \"own\"", "false", "packages/server/test/conformance/access.test.ts"),
  fault("pipeline: slugs of deleted canvases have buckets of their own", "packages/server/src/pipeline/limit-requests.ts", "canvas === null || canvas.deletedAt !== null", "canvas === null", "packages/server/test/pipeline/rate-limit.test.ts"),
  fault("pipeline: a slug that has become another canvas's is readmitted", "packages/server/src/pipeline/readmit.ts", "canvas.id !== id", "false", "packages/server/test/pipeline/held-body.test.ts"),
  fault("pipeline: a body that arrives late is not checked again", "packages/server/src/primitives/with-body.ts", "complete || env.turns.current === turn", "true", "packages/server/test/pipeline/held-body.test.ts"),
  fault("pipeline: every origin may read answers by CORS", "packages/server/src/pipeline/cors.ts", "origin === undefined || origin !== base.canvasOrigin(slug)", "origin === undefined", "packages/server/test/conformance/modes.test.ts"),
  fault("kv: a list by prefix holds the key after it", "packages/server/src/primitives/kv/store.ts", "key < ${after(start)}", "key <= ${after(start)}", "packages/server/test/primitives/kv/kv-store-list.test.ts"),
  fault("kv: one key more than the quota", "packages/server/src/primitives/kv/store.ts", "where kv_scopes.keys < coalesce(", "where kv_scopes.keys <= coalesce(", "packages/server/test/primitives/kv/kv-store-quota.test.ts"),
  fault("kv: the user scope is one for all", "packages/server/src/primitives/kv/routes.ts", "id: ({ user }) => user.id", "id: () => \"all\"", "packages/server/test/conformance/stores.test.ts"),
  fault("kv: values pass without the check of JSON", "packages/server/src/primitives/kv/routes.ts", "const value = parseJson(body);", "const value = JSON.parse(body.toString());", "packages/server/test/conformance/stores.test.ts"),
  fault("submissions: values pass without the check of JSON", "packages/server/src/primitives/submissions/routes.ts", "JSON.stringify(parseJson(body))", "JSON.stringify(JSON.parse(body.toString()))", "packages/server/test/conformance/stores.test.ts"),
  fault("submissions: clearing a collection leaves the count", "packages/server/src/primitives/submissions/store.ts", "rows - (select count(*)", "rows - 0 * (select count(*)", "packages/server/test/primitives/submissions/submissions-store.test.ts"),
  fault("submissions: viewers list the answers of all", "packages/server/src/primitives/submissions/routes.ts", "requirePermission(call, permission);", "", "packages/server/test/conformance/stores.test.ts"),
  fault("collections: updates pass without the check of JSON", "packages/server/src/primitives/collections/routes.ts", "records.update(id, parseJson(body), now)", "records.update(id, JSON.parse(body.toString()), now)", "packages/server/test/conformance/stores.test.ts"),
  fault("collections: a right to one's own records reads those of all", "packages/server/src/primitives/collections/store.ts", "cast(${bit(read.own)} as integer) = 1 and author_id = ${this.#caller}", "cast(${bit(read.own)} as integer) = 1 and author_id <> ''", "packages/server/test/primitives/collections/records-store.test.ts", "packages/server/test/conformance/stores.test.ts"),
  fault("collections: an update leaves the old fields in the index", "packages/server/src/primitives/collections/store.ts", "where record_id = ${id} and name <> ${AUTHOR}", "where record_id = '' and name <> ${AUTHOR}", "packages/server/test/primitives/collections/records-store.test.ts", "packages/server/test/primitives/collections/collections-query.test.ts"),
  fault("stores: PostgreSQL finds the count of rows ambiguous", "packages/server/src/canvases/counts.ts", "rows = counts.rows + 1", "rows = rows + 1", "packages/server/test/primitives/submissions/submissions-store.test.ts"),
  fault("sharing: an expiry of null changes nothing", "packages/server/src/canvases/sharing.ts", "expiresAt === undefined)} as", "expiresAt == null)} as", "packages/server/test/canvases/sharing-rungs.test.ts", "packages/server/test/conformance/access.test.ts"),
  fault("quotas: PostgreSQL finds the uses of a blob ambiguous", "packages/server/src/canvases/version-files.ts", "uses = bundle_blobs.uses + 1", "uses = uses + 1", "packages/server/test/canvases/version-store.test.ts"),
  fault("versions: the version that was just replaced is removed at once", "packages/server/src/canvases/versions.ts", "and replaced_at < ${now}", "and replaced_at <= ${now}", "packages/server/test/canvases/bundle-quotas.test.ts"),
  fault("quotas: the bytes of a file that the canvas has already count again", "packages/server/src/canvases/version-files.ts", "and not exists (select 1 from bundle_blobs", "and 'x' = 'x' or exists (select 1 from bundle_blobs", "packages/server/test/canvases/version-store.test.ts", "packages/server/test/canvases/bundle-quotas.test.ts"),
  fault("realtime: frames follow the close frame", "packages/server/src/primitives/realtime/outbox.ts", "|| !this.#isOpen()", "", "packages/server/src/primitives/realtime/outbox.test.ts"),
  fault("realtime: every tab of a person joins anew", "packages/server/src/drivers/bus/presence.ts", "known.connections.size === 0", "known.connections.size >= 0", "packages/server/test/drivers/bus.test.ts"),
  fault("realtime: a channel that may no longer be heard stays subscribed", "packages/server/src/primitives/realtime/channels.ts", "if (!now.subscribe) {", "if (false) {", "packages/server/test/conformance/realtime.test.ts"),
  fault("realtime: one hears oneself join", "packages/server/src/primitives/realtime/subscription.ts", " || user === this.#client.access.user.id", "", "packages/server/test/conformance/realtime.test.ts"),
  fault("realtime: changes of other people's keys are told", "packages/server/src/primitives/realtime/watches.ts", "if (change.resource === \"kv.user\") return isOwn;", "if (change.resource === \"kv.user\") return true;", "packages/server/test/conformance/realtime.test.ts"),
  fault("realtime: frames held for a recheck are flushed at the first of two", "packages/server/src/primitives/realtime/held-frames.ts", "if (--this.#pendingChecks > 0) return [];", "--this.#pendingChecks;", "packages/server/test/primitives/realtime/realtime-doubt.test.ts"),
  fault("realtime: a connection without a place stays open", "packages/server/src/primitives/realtime/connection.ts", "if (!held) this.close(\"full\");", "", "packages/server/test/conformance/realtime.test.ts"),
  fault("realtime: a page of another origin opens a connection in path mode", "packages/server/src/primitives/mount-upgrade.ts", "base.urlMode === \"path\" && origin !== undefined", "false && origin !== undefined", "packages/server/test/conformance/realtime.test.ts"),
  fault("realtime: connections stay open when a canvas changes", "packages/server/src/primitives/realtime/hub.ts", "this.#byCanvas.get(concerned.canvas) ?? []", "[]", "packages/server/test/conformance/realtime.test.ts"),
  fault("content: the entity tag is the same for every encoding", "packages/server/src/content/conditional.ts", "encoding === \"identity\" ? \"\" : `-${encoding}`", "\"\"", "packages/server/src/content/conditional.test.ts"),
  fault("content: a page load may be pinned to a version of another canvas", "packages/server/src/content/version-pin.ts", "and canvas_id = ${canvas.id} and state", "and state", "packages/server/test/content/serve-version-pin.test.ts"),
  fault("content: a pinned version is served for ever", "packages/server/src/content/version-pin.ts", "and replaced_at > ${env.clock() - GRACE_MS}", "", "packages/server/test/content/serve-version-pin.test.ts"),
  fault("content: other sites on the host may embed files", "packages/server/src/content/isolation.ts", "\"cross-origin-resource-policy\", \"same-origin\"", "\"cross-origin-resource-policy\", \"same-site\"", "packages/server/test/content/canvas-isolation.test.ts"),
  fault("content: a password cookie opens every canvas with that hash", "packages/server/src/canvases/gate-cookie.ts", "  id,\n  passwordHash ??", "  passwordHash ??", "packages/server/test/pipeline/matrix-gate.test.ts"),
  fault("sessions: an expired session goes on", "packages/server/src/identity/session.ts", "row === undefined || row.expires_at <= env.clock()", "row === undefined", "packages/server/test/sign-in/sign-in-session.test.ts", "packages/server/test/identity/session-cookies.test.ts"),
  fault("sessions: a deactivated person signs in", "packages/server/src/identity/users.ts", "row === undefined || row.deactivated_at !== null", "row === undefined", "packages/server/test/management/admin-users.test.ts"),
  fault("tokens: an expired access token works", "packages/server/src/identity/tokens.ts", " || (row.expires_at !== null && row.expires_at <= now)", "", "packages/server/test/identity/tokens.test.ts"),
  fault("proxy: identity headers count from any address", "packages/server/src/identity/proxy.ts", "!isTrustedPeer(request.socket.remoteAddress, config)", "false", "packages/server/test/identity/proxy-address.test.ts", "packages/server/test/identity/proxy-assertion.test.ts"),
  fault("sign-in: the code of a hand-over works for any browser", "packages/server/src/sign-in/hand-over.ts", " and challenge = ${tokenHash(secret)}", "", "packages/server/test/sign-in/hand-over.test.ts"),
  fault("sign-in: a path of two slashes leads to another host", "packages/server/src/sign-in/return-to.ts", ".replace(/^\\/{2,}/, \"/\")", "", "packages/server/src/sign-in/return-to.test.ts"),
  fault("management: a disabled canvas can be changed", "packages/server/src/management/callers.ts", "if (changes) requireEnabled(canvas);", "", "packages/server/test/management/admin-canvases.test.ts", "packages/server/test/management/management-roles.test.ts"),
  fault("management: editors do what only owners may", "packages/server/src/management/callers.ts", "if (role === \"owner\" && canvas.role !== \"owner\") refuseNonOwner();", "", "packages/server/test/management/management-roles.test.ts"),
  fault("management: the audit log of a canvas holds the entries of others", "packages/server/src/organisation/audit.ts", "where canvas_id = ${canvas} and id < ${cursor}", "where id < ${cursor}", "packages/server/test/management/admin-audit.test.ts"),
  fault("management: teams of other people can be shared with", "packages/server/src/canvases/publishing/share-settings.ts", "unknown.length > 0", "false", "packages/server/test/organisation/teams.test.ts"),
  fault("sdk: the pause between attempts does not double", "packages/sdk/src/realtime/backoff.ts", "2 ** failures", "2 * failures", "packages/sdk/test/realtime-backoff.test.ts"),
  fault("sdk: calls send no cookies to the base host", "packages/sdk/src/request.ts", "credentials: \"include\"", "credentials: \"same-origin\"", "packages/sdk/test/request.test.ts"),
  fault("sdk: a channel is not subscribed again after a lost connection", "packages/sdk/src/realtime/channel.ts", "messages.size > 0 && !isPending(\"subscribe\")", "false", "packages/sdk/test/realtime-connection.test.ts", "packages/sdk/test/realtime.test.ts"),
  fault("sdk: a canvas that is not found counts as a missing value", "packages/sdk/src/optional.ts", "error.reason === \"NOT_FOUND\"", "true", "packages/sdk/test/kv.test.ts", "packages/sdk/test/errors.test.ts"),
];
