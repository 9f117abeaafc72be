import { after, describe, test } from "node:test";
import { pipeline } from "@easel/conformance/4.1-pipeline";
import { identity } from "@easel/conformance/4.2-identity";
import { kv } from "@easel/conformance/4.3-kv";
import { adjacent } from "@easel/conformance/4.11-adjacent";
import { devTarget, proxyTarget, type Target } from "@easel/conformance/target";
import { type Engine, PROXY, startService } from "./support.ts";

const SECTIONS = [pipeline, identity, kv, adjacent];
const TARGETS = { dev: devTarget, proxy: proxyTarget };

/** The whole specification on an engine, in both URL modes and these sign-in modes; and once more where requests are limited. */
export async function conforms(engine: Engine, authModes: Target["authMode"][]): Promise<void> {
  for (const urlMode of ["path", "subdomain"] as const) {
    for (const authMode of authModes) {
      for (const rateLimited of [false, true]) {
        const title = `${engine.name}, canvases by ${urlMode}, sign-in: ${authMode}${rateLimited ? ", limited" : ""}`;
        if (engine.skip) {
          test(title, { skip: engine.skip });
          continue;
        }
        const { base } = await startService(
          { after },
          {
            ...(authMode === "proxy" ? PROXY : {}),
            SERVICE_DATABASE_URL: await engine.database({ after }),
            SERVICE_URL_MODE: urlMode,
            SERVICE_RATELIMIT_ENABLED: String(rateLimited),
            SERVICE_RATELIMIT_CANVAS_API_PER_MIN: "5",
            SERVICE_ADMIN_EMAILS: "dev@example.com",
          },
        );
        const target = TARGETS[authMode](base, urlMode, { rateLimited });
        describe(title, () => {
          for (const section of SECTIONS) section(target);
        });
      }
    }
  }
}
