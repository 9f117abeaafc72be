import type { Zone } from "./dns-server.ts";

/** The addresses of the upstreams in a namespace: public ones, and two that only an approval makes reachable. */
export const PUBLIC = { v4: "93.184.215.14", second: "151.101.1.69", v6: "2606:2800:21f:cb07::1" };
export const APPROVABLE = { v4: "10.9.0.1", v6: "fd09::1" };
export const UPSTREAMS: readonly string[] = [...Object.values(PUBLIC), ...Object.values(APPROVABLE)];

/** An address of a network interface of the machine. It looks public. */
export const OWN = "45.33.32.156";

/** The names in the hosts file, with their addresses. */
export const HOSTS = { "in-hosts-file.api.test": "10.0.0.7" };

/** The ports on which all connections are accepted. */
export const PORTS = [443, 8443];

/** What has happened in a namespace. */
export interface Report {
  /** Address and port of each connection to another address than those of the upstreams. */
  hits: string[];
  /** The name in TLS, the `Host` header and the path of each request that an upstream has received. */
  served: string[];
  /** How many times each name of the zone was looked up. */
  lookups: Record<string, number>;
}

/** What the process inside is asked to do. */
export type Task =
  | { kind: "start"; name: string; settings: Record<string, string> }
  | { kind: "connect"; address: string; port: number }
  | { kind: "zone"; zone: Zone }
  | { kind: "report" };
