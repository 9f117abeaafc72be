import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Person } from "@easel/conformance/target";
import { answerAttempt } from "../../../server/test/sign-in/oauth-client.ts";
import { temporaryDirectory } from "../../../server/test/support/service.ts";
import { easel, type Outcome } from "./easel.ts";

/** The program that `easel` starts instead of a browser. It does nothing. */
const BROWSER = "/bin/true";

/** Returns the environment variables of a person who has no stored sign-ins. */
export const newHome = async (t: { after(end: () => Promise<unknown>): void }) => ({
  EASEL_CONFIG_DIR: path.join(await temporaryDirectory(t), "easel"),
  BROWSER,
});
type Home = Awaited<ReturnType<typeof newHome>>;

/** Returns the path of the file with the stored sign-ins. */
export const fileOf = ({ EASEL_CONFIG_DIR }: Home) => path.join(EASEL_CONFIG_DIR, "credentials.json");
/** Reads the stored sign-ins. */
export const storedBy = async (home: Home) => JSON.parse(await readFile(fileOf(home), "utf8"));

/** Runs `easel login`, and calls `act` with the first match of `pattern` in stderr. */
export function logIn(
  home: Home,
  args: string[],
  pattern: RegExp,
  act: (match: RegExpExecArray) => Promise<unknown> | unknown,
  isTerminal = true,
): Promise<Outcome> {
  let acting: Promise<unknown> | undefined;
  const onStderr = (text: string) => {
    const match = pattern.exec(text);
    if (match !== null) acting ??= Promise.resolve(act(match));
  };
  return easel(["login", ...args], { env: home, isTerminal, onStderr }).finally(() => acting);
}

/** Matches the address that `easel login` prints for the browser. */
export const ADDRESS = /(http:\/\/\S+\/oauth\/authorize\S+)\n/;

/** Returns a function that submits the answer of a person on the consent page, and follows the redirect to the program. */
export const submitAnswer =
  (person: Person, answer: string) =>
  async ([address = ""]: RegExpExecArray) => {
    const attempt = { url: new URL(address.trim()), verifier: "", state: "" };
    const back = await answerAttempt(attempt, person.headers, answer);
    // A callback with a wrong `state` is rejected, so guessing the port is not enough.
    assert.equal((await fetch(new URL("/callback?code=a&state=b", back))).status, 404);
    const page = await fetch(back);
    assert.match(await page.text(), answer === "allow" ? /You are signed in/ : /Not signed in/);
  };
