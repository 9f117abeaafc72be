// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are parts of source files.
import { type Fault, fault } from "../fault.ts";

const PRIMITIVE = "packages/server/src/primitives/connections";
const STORES = "packages/server/src/organisation/connections";
const LATE_BODIES = "packages/server/test/primitives/connections/connection-late-bodies.test.ts";
const PLACES = "packages/server/test/primitives/connections/connection-places.test.ts";
const PROFILES = "packages/server/test/organisation/connection-profiles.test.ts";
const CALLS = "packages/server/test/organisation/connection-calls.test.ts";

/** Faults of Connections: who may call, what reaches the upstream and the page, the limits, and the protected headers. */
export const connections: Fault[] = [
  fault(
    "connections: a sealed text opens in another context",
    "packages/server/src/crypto/sealer.ts",
    "const decipher = createDecipheriv(ALGORITHM, key.bytes, bytes.subarray(0, NONCE_BYTES))\n      .setAAD(Buffer.from(context))",
    "const decipher = createDecipheriv(ALGORITHM, key.bytes, bytes.subarray(0, NONCE_BYTES))\n      .setAAD(Buffer.from(`row 1${context.slice(0, 0)}`))",
    "packages/server/src/crypto/sealer.test.ts",
  ),
  fault(
    "connections: protected headers are not bound to the origin",
    `${STORES}/protected-headers.ts`,
    '["connection headers", name, origin]',
    '["connection headers", name, origin.slice(0, 0)]',
    PROFILES,
  ),
  fault(
    "connections: a new origin keeps the stored headers",
    `${STORES}/profiles.ts`,
    "\n      where connection_profiles.headers is null or connection_profiles.origin = excluded.origin`",
    "`",
    PROFILES,
  ),
  fault(
    "connections: a rotation of keys overwrites newer headers",
    `${STORES}/profiles.ts`,
    " and headers = ${sealed}`",
    "`",
    PROFILES,
  ),
  fault(
    "connections: a grant does not lock its profile",
    `${STORES}/grants.ts`,
    "sql`update connection_profiles set name = name where name = ${profile}`",
    "sql`update canvases set id = id where id = ${canvasId}`",
    PROFILES,
  ),
  fault(
    "connections: a deleted canvas gets a grant",
    `${STORES}/grants.ts`,
    "where id = ${canvasId} and deleted_at is null",
    "where id = ${canvasId}",
    "packages/server/test/organisation/connection-grants.test.ts",
  ),
  fault(
    "connections: counts that cannot be written are lost",
    `${STORES}/call-counts.ts`,
    "for (const { key, calls, ms } of sums) callTally.add(key, calls, ms);",
    "",
    CALLS,
  ),
  fault(
    "connections: calls are kept for ever",
    `${PRIMITIVE}/data.ts`,
    "day <= ${today - KEPT_DAYS}",
    "day < ${today - today}",
    CALLS,
  ),
  fault(
    "connections: an entry of the policy without the audience falls back to that of the canvas",
    "packages/server/src/access/connection-rights.ts",
    "entry?.audience ?? audience",
    "audience",
    "packages/server/src/access/connection-rights.test.ts",
  ),
  fault(
    "connections: the methods of the policy are not asked",
    `${PRIMITIVE}/upstream-request.ts`,
    "if (!allowsMethod(entry, method))",
    "if (method === undefined)",
    LATE_BODIES,
  ),
  fault(
    "connections: every grant admits visitors of a Public link",
    `${PRIMITIVE}/routes.ts`,
    "?.public === true",
    " !== undefined",
    LATE_BODIES,
  ),
  fault(
    "connections: rights are not checked again after the body",
    "packages/server/src/primitives/with-body.ts",
    "if (complete || env.turns.current === turn)",
    "if (turn !== undefined)",
    LATE_BODIES,
  ),
  fault(
    "connections: disabled profiles are called",
    `${STORES}/usable.ts`,
    'if (!profile.enabled) return "CONNECTION_DISABLED";',
    "",
    LATE_BODIES,
  ),
  fault(
    "connections: the caller's own credentials reach the upstream",
    `${PRIMITIVE}/removed-headers.ts`,
    '"authorization", ',
    "",
    `${PRIMITIVE}/caller-headers.test.ts`,
  ),
  fault(
    "connections: an underscore makes a header of a proxy",
    `${PRIMITIVE}/removed-headers.ts`,
    "/^[a-z0-9-]+$/",
    "/^[a-z0-9_-]+$/",
    `${PRIMITIVE}/caller-headers.test.ts`,
  ),
  fault(
    "connections: headers of the caller stand beside protected ones of the same name",
    `${PRIMITIVE}/caller-headers.ts`,
    "headers.filter(([name]) => !names.has(name))",
    "headers",
    `${PRIMITIVE}/caller-headers.test.ts`,
  ),
  fault(
    "connections: cookies of the upstream reach the page",
    `${PRIMITIVE}/upstream-response.ts`,
    '  "etag",\n',
    '  "etag",\n  "set-cookie",\n',
    `${PRIMITIVE}/upstream-response.test.ts`,
  ),
  fault(
    "connections: redirects to blob: URLs are followed",
    `${PRIMITIVE}/redirect.ts`,
    'url?.protocol === "https:"',
    "url !== null",
    `${PRIMITIVE}/redirect.test.ts`,
  ),
  fault(
    "connections: one redirect too many is followed",
    `${PRIMITIVE}/exchange.ts`,
    "if (left === 0)",
    "if (left < 0)",
    `${PRIMITIVE}/exchange.test.ts`,
  ),
  fault(
    "connections: the host is not checked again before a redirect is followed",
    `${PRIMITIVE}/exchange.ts`,
    "await env.outbound.check(origin, signal);",
    "",
    `${PRIMITIVE}/exchange.test.ts`,
  ),
  fault(
    "connections: a response of any size is read",
    `${PRIMITIVE}/upstream-response.ts`,
    "if (size > most)",
    "if (size < 0)",
    `${PRIMITIVE}/upstream-response.test.ts`,
  ),
  fault(
    "connections: a call that is refused for the profile costs its caller one",
    `${PRIMITIVE}/limits.ts`,
    "await bus.giveBack(own);",
    "",
    `${PRIMITIVE}/limits.test.ts`,
  ),
  fault(
    "connections: a refusal of the canvas's places keeps the place of the process",
    `${PRIMITIVE}/limits.ts`,
    "  } catch (error) {\n    end();",
    "  } catch (error) {",
    `${PRIMITIVE}/limits.test.ts`,
  ),
  fault(
    "connections: a failed call keeps its places",
    `${PRIMITIVE}/routes.ts`,
    "if (answer === undefined) free();",
    "",
    PLACES,
  ),
  fault(
    "connections: a call goes on when its caller has gone",
    `${PRIMITIVE}/routes.ts`,
    'socket.once("close", abort);',
    "",
    PLACES,
  ),
];
