import { OWN_PATH } from "./page-hosts.ts";

/** The directives that a browser uses for script elements and for connections, each with those that replace it if it is missing. */
const SCRIPTS = ["script-src-elem", "script-src", "default-src"];
const CONNECTIONS = ["connect-src", "default-src"];

/** Adds sources to the first of the directives that a policy has. Does nothing if it has none: then everything is allowed. */
function allow(directives: Map<string, string[]>, names: string[], sources: string[]): void {
  const known = names.find((name) => directives.has(name));
  if (known === undefined) return;
  const before = directives.get(known)?.filter((source) => source.toLowerCase() !== "'none'") ?? [];
  directives.set(names[0] as string, [...before, ...sources]);
}

/**
 * Returns a `Content-Security-Policy` that also allows the script and the connection of `easel dev`, and nothing else that the page might
 * add. The script is allowed by its address, because a nonce would turn off `'unsafe-inline'` of the page; by a nonce only with
 * `'strict-dynamic'`, which turns off addresses. `origin` is that of the page.
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
