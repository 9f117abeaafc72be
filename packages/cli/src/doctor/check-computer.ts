import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { access, stat } from "node:fs/promises";
import { createServer } from "node:net";
import process from "node:process";
import { credentialsFile } from "../account/credentials.ts";
import type { Context } from "../context.ts";
import { clean } from "../terminal/clean.ts";
import { type Finding, fault, ok, warning } from "./finding.ts";

/** The first port that `easel dev` tries. */
const DEV_PORT = 4321;

type Env = Context["env"];

async function checkTls(env: Env): Promise<Finding> {
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === "0")
    return fault(
      "TLS",
      "Node accepts every certificate, so that anyone on the way can read your token.",
      "Unset NODE_TLS_REJECT_UNAUTHORIZED; name your authority's certificate in NODE_EXTRA_CA_CERTS.",
    );
  const file = env.NODE_EXTRA_CA_CERTS;
  if (file === undefined || file === "") return ok("TLS", "Node trusts its own list of authorities.");
  const isThere = await access(file).then(
    () => true,
    () => false,
  );
  return isThere
    ? ok("TLS", `Node also trusts the authorities in ${clean(file)}.`)
    : fault("TLS", `${clean(file)} cannot be read.`, "Correct NODE_EXTRA_CA_CERTS, or unset it.");
}

/** Checks that Node uses the proxy in the environment. It connects directly unless `NODE_USE_ENV_PROXY` is `1`. */
function checkProxy(env: Env): Finding {
  const name = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"].find((each) => env[each]);
  if (name === undefined) return ok("proxy", "No proxy is set.");
  if (env.NODE_USE_ENV_PROXY === "1") return ok("proxy", `Node uses the proxy in ${name}.`);
  return warning("proxy", `${name} is set, but Node does not use it.`, "Set NODE_USE_ENV_PROXY=1.");
}

async function checkCredentials(context: Context): Promise<Finding> {
  const file = credentialsFile(context);
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) return ok("credentials", "No sign-in is stored.");
  const isPrivate = process.platform === "win32" || (found.mode & 0o077) === 0;
  if (isPrivate) return ok("credentials", `Only you can read ${clean(file)}.`);
  return fault("credentials", `Others can read ${clean(file)}.`, `chmod 600 ${clean(file)}`);
}

/** Checks that the system resolves the hosts of `easel dev` below `localhost`. Some browsers resolve them without the system. */
async function checkLocalhost(): Promise<Finding> {
  const addresses = await lookup("owner.localhost", { all: true }).catch(() => []);
  const isLoopback = ({ address }: { address: string }) => address === "::1" || address.startsWith("127.");
  if (addresses.length > 0 && addresses.every(isLoopback))
    return ok("localhost", "Names below localhost lead to this computer.");
  const wrong = addresses.length > 0;
  return warning(
    "localhost",
    wrong
      ? "Names below localhost lead to another computer."
      : "The system does not know names below localhost.",
    "Use Chrome, Edge or Firefox with `easel dev`, which know them without the system.",
  );
}

async function checkPort(): Promise<Finding> {
  const server = createServer();
  try {
    server.listen(DEV_PORT, "127.0.0.1");
    await once(server, "listening");
    return ok("port", `Port ${DEV_PORT} is free for \`easel dev\`.`);
  } catch {
    return warning("port", `Port ${DEV_PORT} is in use.`, "`easel dev` takes the next free one.");
  } finally {
    server.close();
  }
}

/** Checks this computer: Node, certificates, proxy, stored sign-ins, and what `easel dev` needs. */
export const checkComputer = async (context: Context): Promise<Finding[]> => [
  ok("Node", `${process.version} on ${process.platform}.`),
  await checkTls(context.env),
  checkProxy(context.env),
  await checkCredentials(context),
  await checkLocalhost(),
  await checkPort(),
];
