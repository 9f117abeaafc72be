import {
  type FoundPeople,
  type NewToken,
  type OwnMails,
  type PersonUsage,
  type SessionInfo,
  type SessionList,
  type Team,
  type TeamDetails,
  type TeamList,
  TOKEN_SCOPES,
  type TokenInfo,
  type TokenList,
} from "@easel/protocol/management";
import type { Account } from "@easel/protocol/types";
import { z } from "zod";
import { time } from "../../canvases/authored-canvas.ts";
import { exact } from "../../http/field-schemas.ts";
import { dailySpend } from "./ai-usage.ts";
import { nextCursor, quotaUsage } from "./canvas.ts";

export const account = exact<Account>()(
  "Account",
  z.strictObject({
    id: z.string(),
    email: z.string(),
    name: z.string(),
    avatarUrl: z.string().nullable(),
    isAdmin: z.boolean(),
    orgs: z.array(z.strictObject({ id: z.string(), name: z.string() })),
    isGuest: z.boolean(),
    canPublishPublic: z.boolean(),
    authMode: z.enum(["proxy", "oidc", "dev"]),
    urlMode: z.enum(["path", "subdomain"]),
    baseUrl: z.string(),
    designSkin: z.string().nullable(),
  }),
);

/** The use of each quota of a person. */
export const personQuotas = z.strictObject({
  "canvases.person": quotaUsage,
  "bundles.bytes.person": quotaUsage,
  "files.bytes.person": quotaUsage,
  "versions.canvas": quotaUsage,
});

export const personUsage = exact<PersonUsage>()(
  "PersonUsage",
  z.strictObject({ quotas: personQuotas, ai: dailySpend }),
);

export const ownMails = exact<OwnMails>()(
  "OwnMails",
  z.strictObject({ sent: z.boolean(), shared: z.boolean(), asked: z.boolean(), quota: z.boolean() }),
);

const session = exact<SessionInfo>()(
  "SessionInfo",
  z.strictObject({
    id: z.string(),
    createdAt: time,
    expiresAt: time,
    address: z.string(),
    userAgent: z.string(),
    current: z.boolean(),
  }),
);

export const sessionList = exact<SessionList>()(
  "SessionList",
  z.strictObject({ sessions: z.array(session) }),
);

export const token = exact<TokenInfo>()(
  "TokenInfo",
  z.strictObject({
    id: z.string(),
    name: z.string(),
    scope: z.enum(TOKEN_SCOPES),
    canvas: z
      .strictObject({ id: z.string(), title: z.string().nullable(), slug: z.string().nullable() })
      .nullable(),
    createdAt: time,
    expiresAt: time.nullable(),
    usedAt: time.nullable(),
  }),
);

export const tokenList = exact<TokenList>()(
  "TokenList",
  z.strictObject({ tokens: z.array(token), nextCursor: z.string().nullable() }),
);

export const newToken = exact<NewToken>()("NewToken", z.strictObject({ id: z.string(), token: z.string() }));

export const foundPeople = exact<FoundPeople>()(
  "FoundPeople",
  z.strictObject({
    people: z.array(
      z.strictObject({ email: z.string(), name: z.string(), avatarUrl: z.string().nullable() }),
    ),
  }),
);

const teamFields = {
  id: z.string(),
  name: z.string(),
  createdAt: time,
  createdBy: z.string(),
  members: z.array(z.string()),
  externalGroup: z.string().nullable(),
};

export const team = exact<Team>()("Team", z.strictObject(teamFields));

const teamPerson = z.strictObject({ email: z.string(), name: z.string().nullable() });

export const teamDetails = exact<TeamDetails>()(
  "TeamDetails",
  z.strictObject({
    ...teamFields,
    creator: teamPerson,
    people: z.array(teamPerson),
    canvases: z.int(),
  }),
);

export const teamList = exact<TeamList>()("TeamList", z.strictObject({ teams: z.array(team), nextCursor }));
