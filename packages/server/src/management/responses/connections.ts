import type {
  ConnectionCalls,
  ConnectionProfile,
  ConnectionProfileList,
  ConnectionTest,
  GrantedConnectionList,
  ProfileUsage,
} from "@easel/protocol/management";
import { CONNECTION_METHODS } from "@easel/protocol/policy";
import { z } from "zod";
import { exact } from "../../http/field-schemas.ts";

const counts = z.record(z.string(), z.int());

/** The schema of `ConnectionCalls`. Other schemas extend it, for example with the name of the profile. */
const calls = z.strictObject({
  calls: z.int(),
  responses: counts,
  failures: counts,
  latency: z.strictObject({ meanMs: z.int(), p50Ms: z.int(), p95Ms: z.int() }).nullable(),
});

export const callsByProfile = exact<(ConnectionCalls & { profile: string })[]>()(
  "ConnectionCalls",
  z.array(calls.extend({ profile: z.string() })),
);

export const connectionProfile = exact<ConnectionProfile>()(
  "ConnectionProfile",
  z.strictObject({
    profile: z.string(),
    origin: z.string(),
    methods: z.array(z.enum(CONNECTION_METHODS)),
    enabled: z.boolean(),
    requestHeaders: z.array(z.string()),
    headerNames: z.array(z.string()),
    keyAvailable: z.boolean(),
    grants: z.array(
      z.strictObject({
        canvasId: z.string(),
        slug: z.string(),
        title: z.string(),
        public: z.boolean(),
        guests: z.boolean(),
        limits: z.strictObject({
          paths: z.array(z.string()).optional(),
          methods: z.array(z.enum(CONNECTION_METHODS)).optional(),
          requestsPerDay: z.int().optional(),
        }),
      }),
    ),
  }),
);

export const connectionProfileList = exact<ConnectionProfileList>()(
  "ConnectionProfileList",
  z.strictObject({ connections: z.array(connectionProfile) }),
);

export const grantedConnectionList = exact<GrantedConnectionList>()(
  "GrantedConnectionList",
  z.strictObject({
    connections: z.array(
      z.strictObject({
        profile: z.string(),
        origin: z.string(),
        methods: z.array(z.enum(CONNECTION_METHODS)),
        enabled: z.boolean(),
        public: z.boolean(),
        inPolicy: z.boolean(),
      }),
    ),
  }),
);

export const profileUsage = exact<ProfileUsage>()(
  "ProfileUsage",
  z.strictObject({
    from: z.string(),
    to: z.string(),
    total: calls,
    days: z.array(calls.extend({ day: z.string() })),
    canvases: z.array(calls.extend({ canvasId: z.string(), slug: z.string(), title: z.string() })),
  }),
);

export const connectionTest = exact<ConnectionTest>()(
  "ConnectionTest",
  z.strictObject({
    status: z.int().nullable(),
    code: z.string().nullable(),
    message: z.string().nullable(),
    ms: z.int(),
    bytes: z.int(),
  }),
);
