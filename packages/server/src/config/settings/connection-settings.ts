import { BlockList } from "node:net";
import { networks, setting } from "../setting-types.ts";

/** Settings of Connections. */
export const CONNECTIONS = {
  connectionsPrivateCidrs: setting(
    "SERVICE_CONNECTIONS_PRIVATE_CIDRS",
    networks,
    new BlockList(),
    "Networks that Connections may reach although they are not public, such as `10.1.0.0/16`.",
    { shown: "none" },
  ),
};
