import { after, describe, test } from "node:test";
import { devTarget, proxyTarget, type Target } from "@easel/conformance/target";
import { ENGINES, type Engine, NAMED, PROXY, startService } from "../support/service.ts";

const TARGETS = { dev: devTarget, proxy: proxyTarget };

/** How the service under test is set up. */
export interface Setup {
  engine: Engine["name"];
  urlMode: Target["urlMode"];
  authMode: keyof typeof TARGETS;
}

/** A part of the specification: registers its tests for a target. */
export type Section = (target: Target) => void;

/** Runs sections against services of these setups: each without rate limits, and once more with small ones. */
export async function conforms(setups: Setup[], sections: Section[]): Promise<void> {
  const targets: [title: string, target: Target][] = [];
  for (const setup of setups) {
    const title = `${setup.engine}, canvases by ${setup.urlMode}, sign-in: ${setup.authMode}`;
    const engine = ENGINES.find(({ name }) => name === setup.engine) as Engine;
    if (engine.skip) test(title, { skip: engine.skip });
    else
      for (const rateLimited of [false, true])
        targets.push([title + (rateLimited ? ", limited" : ""), await start(engine, setup, rateLimited)]);
  }
  // Services that a file starts are stopped as soon as no suite is left: the first suite comes when all of them run.
  for (const [title, target] of targets) {
    describe(title, () => {
      for (const section of sections) section(target);
    });
  }
}

async function start(engine: Engine, { urlMode, authMode }: Setup, rateLimited: boolean): Promise<Target> {
  const { base } = await startService(
    { after },
    {
      ...(authMode === "proxy" ? PROXY : {}),
      SERVICE_DATABASE_URL: await engine.database({ after }),
      SERVICE_URL_MODE: urlMode,
      SERVICE_RATELIMIT_ENABLED: String(rateLimited),
      ...(rateLimited ? {} : { SERVICE_REALTIME_PUBLISHES_PER_MIN: "1000000000" }),
      SERVICE_RATELIMIT_CANVAS_API_PER_MIN: "5",
      SERVICE_RATELIMIT_LOGIN_PER_MIN: "100",
      SERVICE_ADMIN_EMAILS: "dev@example.com",
    },
    NAMED,
  );
  return TARGETS[authMode](base, urlMode, { rateLimited });
}
