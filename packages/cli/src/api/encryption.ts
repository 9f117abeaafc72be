import { fail } from "../exit.ts";
import { clean } from "../terminal/clean.ts";

const LOOPBACK = /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Whether a URL leads to this computer. */
export const isLoopback = ({ hostname }: URL): boolean => LOOPBACK.test(hostname);

/** Throws a usage error for an http URL of another computer, because everyone on the way could read a token that is sent there. */
export function requireEncryption(url: string): void {
  const parsed = URL.parse(url) ?? fail(`\`${clean(url)}\` is no URL.`);
  if (parsed.protocol === "https:" || isLoopback(parsed)) return;
  fail(`${parsed.origin} is not encrypted, so others could read your token.`, {
    exit: "usage",
    hint: "Use the https address of the service.",
  });
}
