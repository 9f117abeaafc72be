import type { Env } from "../../../server/src/env.ts";
import type { Report } from "./call-report.ts";
import type { LivePages } from "./live-pages.ts";

/** What `easel dev` serves: one canvas of a service in this process, under the addresses of the front. */
export interface Site {
  /** The port of the front. */
  port: number;
  /** The origin under which the service believes its pages to be: that of the front on `localhost`. */
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
