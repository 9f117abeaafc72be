import { BlockList } from "node:net";
import { networkInterfaces } from "node:os";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

const familyOf = (address: string) => (address.includes(":") ? "ipv6" : "ipv4");

/**
 * Whether a connection to an address and port would reach this machine in a way that no approval allows. For addresses of network
 * interfaces these are all ports, for loopback addresses only the port of the service.
 */
export function isOwnAddress(address: string, port: number, ownPort: number): boolean {
  if (loopback.check(address, familyOf(address))) return port === ownPort;
  const found = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find((each) => each.address === address);
  return found !== undefined && (!found.internal || port === ownPort);
}
