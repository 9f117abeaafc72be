import { after } from "node:test";
import { connections } from "@easel/conformance/4.6-connections";
import { responses } from "@easel/conformance/connections/responses";
import { startUpstream } from "../support/upstream.ts";
import { conforms } from "./conformance.ts";

const { origin: upstream, settings } = await startUpstream({ after });
const SQLITE = { engine: "sqlite", urlMode: "path", authMode: "dev" } as const;

/* Canvases by subdomain get the suites whose outcome the URL mode changes. */
await conforms(
  { ...SQLITE, settings, upstream, suites: [connections] },
  { ...SQLITE, urlMode: "subdomain", settings, upstream, suites: [responses] },
);
