import { listConfig } from "../../organisation/instance-config.ts";
import { instanceHealth } from "../../organisation/instance-health.ts";
import { instanceOverview } from "../../organisation/overview.ts";
import { act, ok } from "../act.ts";
import {
  instanceConfig as configSchema,
  instanceHealth as healthSchema,
  instanceOverview as overviewSchema,
} from "../responses/admin.ts";

/** The endpoints that say how the whole instance is (docs/operating.md#health-logs-and-disks). */
export const instance = [
  act({
    name: "instance.overview",
    method: "GET",
    path: "/api/admin/instance/overview",
    summary: "Counts canvases, people, bytes and AI spend, and lists what needs attention.",
    details:
      "`attention` has canvases that expire within seven days, deactivated people who own canvases, people who use more than 90 % of a quota, Connections whose protected headers cannot be opened, and those of which at least five and half of the calls of today and yesterday have failed. `query` is that of the list that shows them.",
    allow: "administrator",
    response: ok(overviewSchema),
    run: async (_call, env) => ({ body: await instanceOverview(env) }),
  }),
  act({
    name: "instance.health",
    method: "GET",
    path: "/api/admin/instance/health",
    summary: "Asks the parts that the service needs, and lists its nodes.",
    details:
      "Each part is asked when the request arrives, for two seconds at most. If the database does not answer, the request is refused like any other, because its caller cannot be identified; `/readyz` needs no caller.",
    allow: "administrator",
    response: ok(healthSchema),
    run: async (_call, env) => ({ body: await instanceHealth(env) }),
  }),
  act({
    name: "instance.config",
    method: "GET",
    path: "/api/admin/instance/config",
    summary:
      "Lists every setting with its value, where it comes from, and whether administrators can change it.",
    details: "Secrets are masked. `key` is the place of a setting in the body of `settings.update`.",
    allow: "administrator",
    response: ok(configSchema),
    run: async (_call, env) => ({ body: { settings: await listConfig(env) } }),
  }),
];
