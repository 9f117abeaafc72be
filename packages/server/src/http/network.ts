import { isIPv6 } from "node:net";

/**
 * Returns the network whose rate limit applies to a client. For an IPv6 address this is its /64 prefix, which usually belongs to one
 * subscriber; for an IPv4-mapped address, the IPv4 address (decision 018). Any other text is returned unchanged.
 */
export function networkOf(address: string): string {
  const [plain = ""] = address.split("%");
  if (!isIPv6(plain)) return address;
  // The URL parser normalises the address and writes its last 32 bits in hexadecimal.
  const written = new URL(`http://[${plain}]`).hostname.slice(1, -1);
  const [head = "", tail] = written.split("::");
  const first = head === "" ? [] : head.split(":");
  const last = tail === undefined || tail === "" ? [] : tail.split(":");
  const groups = [...first, ...Array<string>(8 - first.length - last.length).fill("0"), ...last];
  if (groups.slice(0, 6).join(":") === "0:0:0:0:0:ffff") return ipv4Of(groups.slice(6));
  return `${groups.slice(0, 4).join(":")}::/64`;
}

/** Converts the last two groups of an IPv4-mapped IPv6 address, which are hexadecimal, to an IPv4 address. */
const ipv4Of = (groups: string[]): string =>
  groups
    .map((group) => Number.parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 0xff])
    .join(".");
