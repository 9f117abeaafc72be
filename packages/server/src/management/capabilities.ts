import { z } from "zod";
import { readCallLog, writeCallLog } from "../canvases/call-log-store.ts";
import { setCapabilities } from "../canvases/capabilities.ts";
import { entryOf, policyOf } from "../canvases/policy.ts";
import { policy } from "../canvases/publishing/canvas-schemas.ts";
import { currentView } from "../canvases/view.ts";
import { isId } from "../crypto/ids.ts";
import { refuse } from "../http/refusal.ts";
import { listGranted, usabilityOf } from "../organisation/connections/grants.ts";
import { act, ok } from "./act.ts";
import { json } from "./bodies.ts";
import { refuseNonOwner } from "./callers.ts";
import { page } from "./list-query.ts";
import { callLogPage, capabilitySettings } from "./responses/canvas.ts";
import { grantedConnectionList } from "./responses/connections.ts";

const flag = z.boolean().optional();
const audience = z.enum(["editors", "viewers"]).optional();

const Patch = z.strictObject({
  backendEnabled: flag,
  kv: flag,
  files: flag,
  ai: flag,
  realtime: flag,
  authoring: flag,
  guestAi: flag,
  aiAudience: audience,
  connectionsAudience: audience,
  authoringAudience: audience,
  expectedRuntimePolicy: z.string().nullish(),
  runtimePolicy: policy.nullish(),
});

/** The endpoint for the capability switches and the runtime policy of a canvas (specification 4.11). */
export const capabilities = [
  act({
    name: "canvas.capabilities",
    method: "PATCH",
    path: "/api/canvases/{id}/capabilities",
    summary: "Changes the capability switches, audiences and runtime policy of a canvas.",
    details:
      "See [capabilities](../sharing.md#capabilities). Only the owner changes `guestAi`. A new `runtimePolicy` comes with `expectedRuntimePolicy`, the `runtimePolicyRevision` that it replaces (null at first): 409 `POLICY_CONFLICT` where it has changed.",
    allow: "editor",
    affects: "canvas",
    deploys: [
      "backendEnabled",
      "kv",
      "files",
      "ai",
      "realtime",
      "authoring",
      "expectedRuntimePolicy",
      "runtimePolicy",
    ],
    body: json(Patch),
    response: ok(capabilitySettings),
    errors: ["POLICY_CONFLICT", ["OWNER_ONLY", 403]],
    async run({ user, canvas: { id, role }, body }, env) {
      const { expectedRuntimePolicy: expected, runtimePolicy, ...switches } = body;
      if (switches.guestAi !== undefined && role !== "owner") refuseNonOwner();
      if (runtimePolicy !== undefined && expected === undefined) refuse("POLICY_CONFLICT");
      if (typeof expected === "string" && !isId(expected)) refuse("POLICY_CONFLICT");
      if (!(await setCapabilities(id, switches, { expected, runtimePolicy }, env))) {
        await currentView(id, user, env); // throws 404 if the canvas was deleted
        refuse("POLICY_CONFLICT");
      }
      const { capabilities, capabilitiesOff, ...view } = await currentView(id, user, env);
      const { runtimePolicyRevision } = view;
      const details =
        runtimePolicy === undefined ? switches : { ...switches, runtimePolicy: runtimePolicyRevision };
      return {
        body: { capabilities, capabilitiesOff, runtimePolicy: view.runtimePolicy, runtimePolicyRevision },
        audit: { details },
      };
    },
  }),
];

/** The endpoint that lists the Connections of a canvas (docs/sharing.md#capabilities). */
export const grantedConnections = [
  act({
    name: "canvas.connections",
    method: "GET",
    path: "/api/canvases/{id}/connections",
    summary: "Lists the Connections that are granted to a canvas, by name.",
    details:
      "Administrators grant them. `enabled` is false while calls are refused, because an administrator has turned the profile off or its protected headers cannot be decrypted. `methods` are those that the administrator allows; an entry of the policy can allow fewer. `inPolicy` says whether the policy has such an entry; without one, `connectionsAudience` says who may send requests.",
    allow: "editor",
    response: ok(grantedConnectionList),
    async run({ canvas: { id, runtime_policy_revision: policyRevision } }, env) {
      const [granted, { connections }] = await Promise.all([
        listGranted(id, env),
        policyOf({ id, policyRevision, phases: null }, env),
      ]);
      const entries = granted.map((each) => ({
        profile: each.name,
        origin: each.origin,
        methods: each.methods,
        enabled: typeof usabilityOf(each, env) !== "string",
        public: each.grant.public,
        inPolicy: entryOf(connections, each.name) !== undefined,
      }));
      return { body: { connections: entries } };
    },
  }),
];

const CURSOR = /^(\d{1,15})-(\d{1,15})$/;

const Query = z.object({
  after: z
    .string()
    .regex(CURSOR, "is not a cursor of this list")
    .meta({ description: "`next` of the previous response; absent for the newest calls." })
    .optional()
    .transform((after) => {
      const [, number, dropped] = CURSOR.exec(after ?? "") ?? [];
      return number === undefined ? null : { number: Number(number), dropped: Number(dropped) };
    }),
  limit: page.shape.limit,
});

/** The endpoint that returns the refused and failed runtime calls of a canvas, and the errors of its pages (docs/help.md#where-errors-are). */
export const callLog = [
  act({
    name: "canvas.log",
    method: "GET",
    path: "/api/canvases/{id}/log",
    summary:
      "Returns the refused and failed calls to the runtime API of a canvas, and the errors that its pages have reported, oldest first.",
    details:
      "Calls are kept for 7 days; those of anonymous callers and of people without a role have a limit of their own, so that they push out no others, and so have errors of pages: entries whose `pageError` is not null. Without `after`, the newest ones are returned. To follow the log, request it again with `next` as `after`. `dropped` counts the calls since `after` that are not in the log because there were too many. In `route`, ids and keys of single users are placeholders. The `status` of a WebSocket that the service has closed is its close code.",
    allow: "editor",
    query: Query,
    response: ok(callLogPage),
    async run({ canvas: { id }, query }, env) {
      await writeCallLog(env);
      return { body: await readCallLog(id, query, env) };
    },
  }),
];
