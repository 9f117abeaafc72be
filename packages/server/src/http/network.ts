import { isIPv6 } from "node:net";

/**
 * The network that a client's address counts as: an IPv6 address stands for its /64, which one subscriber has whole, and an
 * IPv4-mapped one for the IPv4 address. Anything else counts as itself.
 */
export function networkOf(address: string): string {
  const [plain = ""] = address.split("%");
  if (!isIPv6(plain)) return address;
  // The parser of URLs writes every address in one way, and the last 32 bits in hexadecimal.
  const written = new URL(`http://[${plain}]`).hostname.slice(1, -1);
  const [head = "", tail] = written.split("::");
  const first = head === "" ? [] : head.split(":");
  const last = tail === undefined || tail === "" ? [] : tail.split(":");
  const groups = [...first, ...Array<string>(8 - first.length - last.length).fill("0"), ...last];
  if (groups.slice(0, 6).join(":") === "0:0:0:0:0:ffff") return ipv4Of(groups.slice(6));
  return `${groups.slice(0, 4).join(":")}::/64`;
}

/** The IPv4 address that two groups of an IPv6 address hold. */
const ipv4Of = (groups: string[]): string =>
  groups
    .map((group) => Number.parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 0xff])
    .join(".");
