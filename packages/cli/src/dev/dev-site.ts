import type { Env } from "../../../server/src/env.ts";
import type { Report } from "./call-report.ts";
import type { LivePages } from "./live-pages.ts";

/** The canvas that `easel dev` serves, with the service in this process and the reverse proxy (see `createReverseProxy`). */
export interface Site {
  /** The port on which the reverse proxy listens. */
  port: number;
  /** The origin of the reverse proxy on `localhost`. The service uses it as its public origin. */
  origin: string;
  slug: string;
  env: Env;
  /** The origin at which the service listens. */
  service: string;
  /** The origin of a dev server that serves the files of the page instead of the folder; null without `--proxy`. */
  proxy: string | null;
  live: LivePages;
  report: Report;
  /** The faults of `easel.json`, one sentence each. */
  faults: string[];
}

/** The path of the canvas, with a slash at the end. */
export const canvasPath = ({ slug }: Pick<Site, "slug">): string => `/c/${slug}/`;
