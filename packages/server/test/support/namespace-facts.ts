import type { Zone } from "./dns-server.ts";

/** The public addresses of the upstreams in a namespace. */
export const PUBLIC = { v4: "93.184.215.14", second: "151.101.1.69", v6: "2606:2800:21f:cb07::1" };
/** The other addresses of the upstreams. They can be reached only if the operator approves them. */
export const APPROVABLE = { v4: "10.9.0.1", v6: "fd09::1" };
export const UPSTREAMS: readonly string[] = [...Object.values(PUBLIC), ...Object.values(APPROVABLE)];

/** An address of a network interface inside the namespace. Its range is public. */
export const OWN = "45.33.32.156";

/** The names in the hosts file, with their addresses. */
export const HOSTS = { "in-hosts-file.api.test": "10.0.0.7" };

/** The ports on which all connections are accepted. */
export const PORTS = [443, 8443];

/** The events that the process inside a namespace has recorded. */
export interface Report {
  /** The address and port of each connection that went to no upstream. */
  hits: string[];
  /** One text for each request that an upstream has received: the TLS server name, the `Host` header and the path. */
  served: string[];
  /** How many times each name of the zone was looked up. */
  lookups: Record<string, number>;
}

/** A command to the process inside the namespace. */
export type Task =
  | { kind: "start"; name: string; settings: Record<string, string> }
  | { kind: "connect"; address: string; port: number }
  | { kind: "zone"; zone: Zone }
  | { kind: "report" };
