import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import type { BlockList, LookupFunction } from "node:net";
import { DestinationBlocked } from "./outbound.ts";
import { isOwnAddress } from "./own-addresses.ts";
import { isApprovedAddress, isPublicAddress } from "./public-addresses.ts";

/** Resolves a host name to all its addresses. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

/** Resolves names as the operating system does, with its hosts file. */
export const systemResolve: Resolve = (hostname) => lookup(hostname, { all: true, order: "verbatim" });

/** What decides whether the service may connect to an address. */
export interface AddressRules {
  /** The ranges that are not public and that the operator has approved. */
  approved: BlockList;
  /** Returns the port on which the service listens. */
  ownPort(): number;
}

/** Whether the service may connect to an address and port. */
function isAllowed(address: string, port: number, { approved, ownPort }: AddressRules): boolean {
  if (!isPublicAddress(address) && !isApprovedAddress(address, approved)) return false;
  return !isOwnAddress(address, port, ownPort());
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
