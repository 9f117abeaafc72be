import { BlockList } from "node:net";
import { networkInterfaces } from "node:os";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

const familyOf = (address: string) => (address.includes(":") ? "ipv6" : "ipv4");

/**
 * Whether an address and port lead back to this machine, so that the service must not connect even if the operator has approved the
 * address. True for every port at an address of an external network interface, such as `eth0`. At a loopback address, true only for the
 * port of the service.
 */
export function isOwnAddress(address: string, port: number, ownPort: number): boolean {
  if (loopback.check(address, familyOf(address))) return port === ownPort;
  const found = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find((each) => each.address === address);
  return found !== undefined && (!found.internal || port === ownPort);
}
