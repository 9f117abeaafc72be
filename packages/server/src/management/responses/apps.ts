import {
  type AppInfo,
  type AppList,
  type ClientInUse,
  type ClientList,
  type EndedApps,
  type OwnAppList,
  TOKEN_SCOPES,
} from "@easel/protocol/management";
import { z } from "zod";
import { time } from "../../canvases/authored-canvas.ts";
import { exact } from "../../http/field-schemas.ts";
import { nextCursor } from "./canvas.ts";

const app = exact<AppInfo>()(
  "App",
  z.strictObject({
    id: z.string(),
    client: z.strictObject({ name: z.string(), host: z.string().nullable(), verified: z.boolean() }),
    redirectHost: z.string().nullable(),
    isToken: z.boolean(),
    scope: z.enum(TOKEN_SCOPES),
    canvas: z
      .strictObject({ id: z.string(), title: z.string().nullable(), slug: z.string().nullable() })
      .nullable(),
    ownOnly: z.boolean(),
    confirms: z.boolean(),
    createdAt: time,
    usedAt: time.nullable(),
    expiresAt: time.nullable(),
  }),
);

const list = { apps: z.array(app), nextCursor };

export const appList = exact<AppList>()("AppList", z.strictObject(list));

export const ownAppList = exact<OwnAppList>()(
  "OwnAppList",
  z.strictObject({ ...list, url: z.string().nullable() }),
);

const inUse = { people: z.int(), tools: z.int(), usedAt: time.nullable() };

const client = exact<ClientInUse>()(
  "AppClient",
  z.strictObject({
    id: z.string(),
    name: z.string(),
    host: z.string().nullable(),
    verified: z.boolean(),
    ...inUse,
  }),
);

export const clientList = exact<ClientList>()(
  "AppClientList",
  z.strictObject({
    clients: z.array(client),
    tokens: z.strictObject(inUse),
    nextCursor: z.string().nullable(),
  }),
);

export const endedApps = exact<EndedApps>()("EndedApps", z.strictObject({ ended: z.int() }));
