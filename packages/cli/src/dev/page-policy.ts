import { OWN_PATH } from "./page-hosts.ts";

/** The directives of a browser for script elements and for connections, each followed by its fallbacks. */
const SCRIPTS = ["script-src-elem", "script-src", "default-src"];
const CONNECTIONS = ["connect-src", "default-src"];

/**
 * Adds sources to the directive `names[0]`. If the policy lacks it, starts from the sources of the first fallback. Does nothing if the
 * policy has none of the directives, because it then allows everything.
 */
function allow(directives: Map<string, string[]>, names: string[], sources: string[]): void {
  const known = names.find((name) => directives.has(name));
  if (known === undefined) return;
  const before = directives.get(known)?.filter((source) => source.toLowerCase() !== "'none'") ?? [];
  directives.set(names[0] as string, [...before, ...sources]);
}

/**
 * Returns a `Content-Security-Policy` that also allows the script and the connections of `easel dev`, and nothing else. It allows the
 * script by URL, because a nonce would turn off `'unsafe-inline'` of the page. With `'strict-dynamic'`, which turns off URLs, it allows the
 * script by nonce. `origin` is the origin of the page.
 */
export function allowBar(header: string, origin: string, nonce: string): string {
  return header
    .split(",")
    .map((policy) => {
      const directives = new Map<string, string[]>();
      for (const part of policy.split(";")) {
        const [name, ...sources] = part.trim().split(/\s+/);
        if (name !== undefined && name !== "" && !directives.has(name.toLowerCase()))
          directives.set(name.toLowerCase(), sources);
      }
      const scripts = SCRIPTS.map((name) => directives.get(name)).find((sources) => sources !== undefined);
      const isStrict = scripts?.some((source) => source.toLowerCase() === "'strict-dynamic'") === true;
      allow(directives, SCRIPTS, [isStrict ? `'nonce-${nonce}'` : `${origin}${OWN_PATH}bar.js`]);
      allow(directives, CONNECTIONS, [
        `${origin}${OWN_PATH}`,
        `${origin.replace(/^http/, "ws")}${OWN_PATH}live`,
      ]);
      return [...directives].map(([name, sources]) => [name, ...sources].join(" ")).join("; ");
    })
    .join(", ");
}
