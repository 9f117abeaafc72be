import { authoring } from "@easel/conformance/4.8-authoring";
import { LIMITED, limited } from "@easel/conformance/authoring/limited";
import { lists } from "@easel/conformance/authoring/lists";
import { origins } from "@easel/conformance/authoring/origins";
import { revocations } from "@easel/conformance/authoring/revoke";
import { STRICT, strict } from "@easel/conformance/authoring/strict";
import { operatorDisabled } from "@easel/conformance/authoring/switches";
import { conflicts } from "@easel/conformance/authoring/update";
import { conforms } from "./conformance.ts";

const SQLITE = { engine: "sqlite", urlMode: "path", authMode: "dev" } as const;
const POSTGRES = { ...SQLITE, engine: "postgres" } as const;
const AUTHORING = { SERVICE_AUTHORING: "on", SERVICE_AUTHORING_USER_DAILY_MAX: "1000" };

/*
 * Runs most suites on SQLite in path mode. `origins` also depends on the URL mode, and the suites whose outcome SQL decides also run on
 * PostgreSQL.
 */
await conforms(
  "authoring",
  { ...SQLITE, settings: AUTHORING, suites: [authoring], limited: [authoring] },
  { ...SQLITE, urlMode: "subdomain", settings: AUTHORING, suites: [origins] },
  { ...SQLITE, settings: { ...AUTHORING, ...LIMITED }, suites: [limited] },
  { ...SQLITE, settings: { ...AUTHORING, ...STRICT }, suites: [strict] },
  { ...SQLITE, suites: [operatorDisabled] },
  { ...POSTGRES, settings: AUTHORING, suites: [lists, conflicts, revocations] },
  { ...POSTGRES, settings: { ...AUTHORING, ...LIMITED }, suites: [limited] },
);
