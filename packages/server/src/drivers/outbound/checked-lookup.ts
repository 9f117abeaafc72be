import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import { BlockList, isIPv4, isIPv6, type LookupFunction } from "node:net";
import { networkInterfaces } from "node:os";
import { DestinationBlocked } from "./outbound.ts";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

const familyOf = (address: string) => (address.includes(":") ? "ipv6" : "ipv4");

/**
 * Whether an address and port lead back to this machine, so that the service must not connect even if the operator has approved the
 * address. True for every port at an address of an external network interface, such as `eth0`. At a loopback address, true only for the
 * port of the service.
 */
export function isLocalAddress(address: string, port: number, servicePort: number): boolean {
  if (loopback.check(address, familyOf(address))) return port === servicePort;
  const found = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find((each) => each.address === address);
  return found !== undefined && (!found.internal || port === servicePort);
}

/** IPv6 addresses that are assigned to networks of the internet. All others are special or not assigned. */
const GLOBAL_UNICAST = "2000::/3";

/**
 * Ranges that are not public: those of the IANA special-purpose registries (RFC 6890 and its updates), IPv4 multicast, and an address of
 * Azure. IPv6 ranges outside `GLOBAL_UNICAST` are not listed, because they are not public anyway.
 */
const SPECIAL_RANGES: readonly string[] = [
  "0.0.0.0/8", //          this network
  "10.0.0.0/8", //         private
  "100.64.0.0/10", //      shared by the customers of a provider
  "127.0.0.0/8", //        loopback
  "168.63.129.16/32", //   the host of a virtual machine in Azure
  "169.254.0.0/16", //     link-local, with the metadata services of clouds
  "172.16.0.0/12", //      private
  "192.0.0.0/24", //       IETF protocols
  "192.0.2.0/24", //       documentation
  "192.31.196.0/24", //    AS112
  "192.52.193.0/24", //    automatic multicast tunnelling
  "192.88.99.0/24", //     relays of 6to4
  "192.168.0.0/16", //     private
  "192.175.48.0/24", //    AS112
  "198.18.0.0/15", //      benchmarks
  "198.51.100.0/24", //    documentation
  "203.0.113.0/24", //     documentation
  "224.0.0.0/4", //        multicast
  "240.0.0.0/4", //        reserved, and broadcast
  "2001::/23", //          IETF protocols, with Teredo
  "2001:db8::/32", //      documentation
  "2002::/16", //          6to4, which embeds an IPv4 address
  "2620:4f:8000::/48", //  AS112
  "3fff::/20", //          documentation
];

/**
 * Ranges that an operator cannot approve: unspecified, multicast and broadcast addresses, and IPv6 addresses that embed an IPv4 address.
 * `LOOPBACK` lies within one of them but can be approved.
 */
const NEVER_APPROVED: readonly string[] = [
  "0.0.0.0/8",
  "224.0.0.0/4",
  "255.255.255.255/32",
  "::/96", //           unspecified, and IPv4-compatible
  "::ffff:0:0/96", //   IPv4-mapped
  "::ffff:0:0:0/96", // IPv4-translated
  "64:ff9b::/96", //    NAT64
  "64:ff9b:1::/48", //  NAT64 of a local network
  "2001::/32", //       Teredo
  "2002::/16", //       6to4
  "ff00::/8",
];

const LOOPBACK = "::1/128";

/**
 * Returns those of the ranges that have the IP version `family`. Each version needs its own list, because `BlockList` compares IPv4-mapped
 * IPv6 addresses with IPv4 ranges.
 */
function listOf(ranges: readonly string[], family: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = "", bits] = range.split("/");
    if (isIPv4(address) === (family === "ipv4")) list.addSubnet(address, Number(bits), family);
  }
  return list;
}

const globalUnicast = listOf([GLOBAL_UNICAST], "ipv6");
const special4 = listOf(SPECIAL_RANGES, "ipv4");
const special6 = listOf(SPECIAL_RANGES, "ipv6");
const never4 = listOf(NEVER_APPROVED, "ipv4");
const never6 = listOf(NEVER_APPROVED, "ipv6");
const loopback6 = listOf([LOOPBACK], "ipv6");

/** Whether a text is an IPv6 address without a zone such as `%eth0`, which link-local addresses have. */
const isPlainIPv6 = (address: string) => isIPv6(address) && !address.includes("%");

/** Whether an address belongs to a public network. Returns false for any text that is not an IP address. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !special4.check(address, "ipv4");
  return isPlainIPv6(address) && globalUnicast.check(address, "ipv6") && !special6.check(address, "ipv6");
}

/** Whether the operator has approved an address that is not public. Some addresses cannot be approved. */
export function isApprovedAddress(address: string, approved: BlockList): boolean {
  if (isIPv4(address)) return approved.check(address, "ipv4") && !never4.check(address, "ipv4");
  if (!isPlainIPv6(address) || !approved.check(address, "ipv6")) return false;
  return loopback6.check(address, "ipv6") || !never6.check(address, "ipv6");
}

/** Resolves a host name to all its addresses. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

/** Resolves names as the operating system does, with its hosts file. */
export const systemResolve: Resolve = (hostname) => lookup(hostname, { all: true, order: "verbatim" });

/** What decides whether the service may connect to an address. */
export interface AddressRules {
  /** The ranges that are not public and that the operator has approved. */
  approved: BlockList;
  /** The port on which the service listens. */
  servicePort: number;
}

/** Whether the service may connect to an address and port. */
function isAllowed(address: string, port: number, { approved, servicePort }: AddressRules): boolean {
  if (!isPublicAddress(address) && !isApprovedAddress(address, approved)) return false;
  return !isLocalAddress(address, port, servicePort);
}

/**
 * Resolves a host name and checks every address. Throws `DestinationBlocked` if the service may not connect to one of them, even if it may
 * connect to the others.
 */
export async function resolveChecked(
  hostname: string,
  port: number,
  resolve: Resolve,
  rules: AddressRules,
): Promise<LookupAddress[]> {
  const addresses = await resolve(hostname);
  if (addresses.length === 0) throw new Error(`${hostname} has no address`);
  for (const { address } of addresses)
    if (!isAllowed(address, port, rules)) throw new DestinationBlocked(`${hostname} resolves to ${address}`);
  return addresses;
}

/**
 * Returns the `lookup` function for sockets to a port. The socket connects to the addresses that this function returns, so no other answer
 * of the DNS can take the place of the checked one (decision 033).
 */
export const checkedLookup =
  (port: number, resolve: Resolve, rules: AddressRules): LookupFunction =>
  (hostname, { all }, callback) => {
    resolveChecked(hostname, port, resolve, rules).then(
      (addresses) => {
        if (all) return callback(null, addresses);
        const [{ address, family }] = addresses as [LookupAddress];
        callback(null, address, family);
      },
      (error) => callback(error, []),
    );
  };
