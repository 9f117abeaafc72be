import { after } from "node:test";
import { ai } from "@easel/conformance/4.5-ai";
import { aborts } from "@easel/conformance/ai/aborts";
import { caps } from "@easel/conformance/ai/caps";
import { events } from "@easel/conformance/ai/events";
import { failures, unreachable } from "@easel/conformance/ai/failures";
import { ledger } from "@easel/conformance/ai/ledger";
import { prompts } from "@easel/conformance/ai/prompts";
import { SETTINGS } from "@easel/conformance/ai/settings";
import { operatorDisabled } from "@easel/conformance/ai/switches";
import { closedPort } from "@easel/conformance/closed-port";
import { startAiProvider } from "../support/ai-provider.ts";
import { conforms } from "./conformance.ts";

const provider = await startAiProvider({ after });
const url = String(provider.settings.SERVICE_AI_BASE_URL);
const SQLITE = { engine: "sqlite", urlMode: "path", authMode: "dev" } as const;
const settings = { ...provider.settings, ...SETTINGS };
const anthropic = { settings, ai: { url, wire: "anthropic" } } as const;
const openai = {
  settings: { ...settings, SERVICE_AI_PROVIDER: "openai" },
  ai: { url, wire: "openai" },
} as const;

/*
 * Runs every suite with Anthropic, and with OpenAI those that depend on the provider. The second service has canvases by subdomain, for the
 * CORS headers of an event stream. The suites whose outcome SQL decides also run on PostgreSQL.
 */
await conforms(
  "ai",
  { ...SQLITE, ...anthropic, suites: [ai], limited: [ai] },
  { ...SQLITE, ...openai, urlMode: "subdomain", suites: [prompts, events, failures, aborts] },
  { ...SQLITE, ...anthropic, engine: "postgres", suites: [caps, ledger] },
  {
    ...SQLITE,
    settings: { ...settings, SERVICE_AI_BASE_URL: `http://127.0.0.1:${await closedPort()}` },
    suites: [unreachable],
  },
  { ...SQLITE, settings: SETTINGS, suites: [operatorDisabled] },
);
