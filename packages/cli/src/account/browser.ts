import { existsSync } from "node:fs";
import open from "open";
import type { Context } from "../context.ts";

/**
 * Whether a browser can probably be opened. This is not possible over SSH, in a container, and on Linux without a desktop. The variable
 * `BROWSER` overrides the check; its value `none` means that there is no browser.
 */
export function hasBrowser({ env }: Pick<Context, "env">, platform = process.platform): boolean {
  if (env.BROWSER) return env.BROWSER !== "none";
  if (env.SSH_CONNECTION || env.SSH_TTY || existsSync("/.dockerenv") || existsSync("/run/.containerenv"))
    return false;
  const isDesktop = env.DISPLAY || env.WAYLAND_DISPLAY || env.WSL_DISTRO_NAME;
  return platform !== "linux" || Boolean(isDesktop);
}

/** Opens an address in the browser: the program in `BROWSER`, or the default one. Does not wait, and ignores failures. */
export async function openBrowser(address: string, { env }: Pick<Context, "env">): Promise<void> {
  const app = env.BROWSER ? { app: { name: env.BROWSER } } : {};
  await open(address, app).then(
    (child) => child.on("error", () => {}),
    () => {},
  );
}
