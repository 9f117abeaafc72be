import { BlockList, isIP } from "node:net";

/** Thrown if the service cannot start because of its settings or environment. `message` is printed to the operator without a stack. */
export class SetupError extends Error {}

/** A type of setting. `may` describes the valid texts. `read` parses a text, and throws if it is invalid. */
export interface SettingType<Value> {
  may: string;
  read(text: string): Value;
}

/**
 * A setting that is read from an environment variable. `fallback` is its default value. If `shown` is present, the docs show this text as
 * the default instead.
 */
export interface Setting<Value> {
  variable: string;
  kind: SettingType<Value>;
  fallback: Value;
  shown?: string;
  meaning: string;
  secret?: boolean;
}

/** Any text. */
export const text: SettingType<string> = { may: "any text", read: (value) => value };

/** A boolean. */
export const onOff: SettingType<boolean> = {
  may: "`on` or `off`",
  read(value) {
    if (["on", "true"].includes(value)) return true;
    if (["off", "false"].includes(value)) return false;
    throw new RangeError();
  },
};

/** An integer from `least` to `most`, inclusive. */
export const whole = (least: number, most = Number.MAX_SAFE_INTEGER): SettingType<number> => ({
  may:
    most === Number.MAX_SAFE_INTEGER
      ? `a whole number from ${least}`
      : `a whole number from ${least} to ${most}`,
  read(value) {
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < least || number > most) throw new RangeError();
    return number;
  },
});

/** A non-negative number. */
export const amount: SettingType<number> = {
  may: "a number from 0",
  read(value) {
    const number = Number(value);
    if (!/^\d+(\.\d+)?$/.test(value) || !Number.isFinite(number)) throw new RangeError();
    return number;
  },
};

/** One of the given words. */
export const oneOf = <Word extends string>(...words: Word[]): SettingType<Word> => ({
  may: words.map((word) => `\`${word}\``).join(", "),
  read(value) {
    const word = words.find((each) => each === value);
    if (word === undefined) throw new RangeError();
    return word;
  },
});

/** A comma-separated list whose entries all have the same type. */
export const list = <Entry>(each: SettingType<Entry>): SettingType<Entry[]> => ({
  may: `a comma-separated list, each ${each.may}`,
  read: (value) =>
    value
      .split(",")
      .map((entry) => entry.trim())
      .filter((entry) => entry !== "")
      .map((entry) => each.read(entry)),
});

/** An absolute URL with one of the given schemes. */
export const url = (...schemes: string[]): SettingType<string> => ({
  may: `a URL that starts with ${schemes.map((scheme) => `\`${scheme}:\``).join(" or ")}`,
  read(value) {
    const scheme = value.slice(0, value.indexOf(":"));
    if (!schemes.includes(scheme)) throw new RangeError();
    if (/^(sqlite|file):$/.test(value)) throw new RangeError();
    if (/^https?$|^postgres|^redis/.test(scheme)) new URL(value);
    return value;
  },
});

/** A web origin, normalized to the form that browsers send. The host must not contain characters with a special meaning in a CSP. */
export const origin: SettingType<string> = {
  may: "an origin such as `https://example.com`",
  read(value) {
    const { href, origin, protocol, hostname } = new URL(value);
    if (!/^https?:$/.test(protocol) || href !== `${origin}/` || !/^[\w.-]+$/.test(hostname))
      throw new RangeError();
    return origin;
  },
};

/** An address at which to listen. */
export interface SocketAddress {
  host: string;
  port: number;
}

/** An IP address or a host name with a port, or a port of the loopback address. */
export const socketAddress: SettingType<SocketAddress> = {
  may: "a port of this machine such as `9464`, or an address with a port such as `10.0.0.5:9464` or `[::1]:9464`",
  read(value) {
    const [, ipv6, name, digits] = /^(?:(?:\[([^\]]+)\]|([^:[\]\s/]+)):)?(\d{1,5})$/.exec(value) ?? [];
    const port = Number(digits);
    if (digits === undefined || port > 65_535 || (ipv6 !== undefined && isIP(ipv6) !== 6))
      throw new RangeError();
    return { host: ipv6 ?? name ?? "127.0.0.1", port };
  },
};

/** Text that matches a pattern. */
export const pattern = (may: string, expression: RegExp): SettingType<string> => ({
  may,
  read(value) {
    if (!expression.test(value)) throw new RangeError();
    return value;
  },
});

/** IP addresses and networks. */
export const networks: SettingType<BlockList> = {
  may: "IP addresses or networks such as `10.0.0.0/8`, separated by commas",
  read(value) {
    const listed = new BlockList();
    for (const entry of list(text).read(value)) {
      const [address = "", bits, ...rest] = entry.split("/");
      const ipv6 = isIP(address) === 6;
      if (rest.length > 0 || (bits !== undefined && !/^\d+$/.test(bits))) throw new RangeError();
      listed.addSubnet(
        address,
        bits === undefined ? (ipv6 ? 128 : 32) : Number(bits),
        ipv6 ? "ipv6" : "ipv4",
      );
    }
    return listed;
  },
};

/** Secrets of which each one is valid, so that they can be rotated. */
export const secrets: SettingType<string[]> = {
  may: "one or more secrets of at least 32 bytes, separated by commas",
  read(value) {
    const entries = value.split(",").map((entry) => entry.trim());
    if (entries.some((entry) => Buffer.byteLength(entry) < 32)) throw new RangeError();
    return entries;
  },
};

/** Defines a setting with its default. */
export function setting<Value>(
  variable: string,
  kind: SettingType<Value>,
  fallback: NoInfer<Value>,
  meaning: string,
  more: { shown?: string; secret?: true } = {},
): Setting<Value> {
  return { variable, kind, fallback, meaning, ...more };
}

/** Defines a setting without a default. */
export function optional<Value>(
  variable: string,
  kind: SettingType<Value>,
  meaning: string,
  more: { shown?: string; secret?: true } = {},
): Setting<Value | null> {
  return { variable, kind, fallback: null, meaning, ...more };
}
