import { after } from "node:test";
import { connections } from "@easel/conformance/4.6-connections";
import { audiences } from "@easel/conformance/connections/audiences";
import { grantLimits } from "@easel/conformance/connections/grant-limits";
import { keyless } from "@easel/conformance/connections/keyless";
import { order } from "@easel/conformance/connections/order";
import { profiles } from "@easel/conformance/connections/profiles";
import { responses } from "@easel/conformance/connections/responses";
import { startUpstream } from "../support/upstream.ts";
import { conforms } from "./conformance.ts";

const { origin: upstream, settings } = await startUpstream({ after });
const { SERVICE_ENCRYPTION_KEY: _, ...withoutKey } = settings;
const SQLITE = { engine: "sqlite", urlMode: "path", authMode: "dev" } as const;

/**
 * The settings of the service with rate limits. The limit of requests to a canvas is high, so that the tests reach only the limit of 60
 * calls a minute through a Connection.
 */
const limitedSettings = { ...settings, SERVICE_RATELIMIT_CANVAS_API_PER_MIN: "1000" };

/*
 * Canvases by subdomain get the suites whose outcome the URL mode changes, PostgreSQL those whose outcome SQL decides.
 */
await conforms(
  "connections",
  { ...SQLITE, settings: limitedSettings, upstream, suites: [connections], limited: [connections] },
  { ...SQLITE, urlMode: "subdomain", settings, upstream, suites: [responses, order] },
  { ...SQLITE, engine: "postgres", settings, upstream, suites: [profiles, audiences, grantLimits] },
  { ...SQLITE, settings: withoutKey, upstream, suites: [keyless] },
);
