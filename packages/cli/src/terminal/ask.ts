import { fail } from "../exit.ts";
import { clean, cleanLines } from "./clean.ts";
import type { Streams } from "./streams.ts";

/** A question, and the flag that answers it if nobody can be asked. */
interface Question {
  message: string;
  /** A flag with an example value, such as `--access private`. */
  flag: string;
}

/** An answer to choose from. */
export interface Choice<Value extends string> {
  value: Value;
  label: string;
  hint?: string;
}

/**
 * Asks questions in the terminal. If nobody can be asked, every question throws a usage error that names the flag. If the person cancels a
 * question, it throws a `Failure` with the exit code of `interrupted`.
 */
export interface Ask {
  /** Whether questions can be asked. */
  readonly possible: boolean;
  confirm(question: Question & { initial?: boolean }): Promise<boolean>;
  choose<Value extends string>(
    question: Question & { choices: Choice<Value>[]; initial?: Value },
  ): Promise<Value>;
  /**
   * Asks for a line of text. An empty answer means `placeholder`, if there is one. `check` returns the fault of an answer, or undefined if the answer is
   * valid.
   */
  text(
    question: Question & { placeholder?: string; check?: (value: string) => string | undefined },
  ): Promise<string>;
  /** Asks for a secret, which is not shown. */
  secret(question: Question): Promise<string>;
}

/** Creates the `Ask` of a run. It writes questions to stderr, because stdout is only for the result. */
export function createAsk(
  { stdin, stderr }: Streams,
  { possible, signal }: { possible: boolean; signal: AbortSignal },
): Ask {
  // The module is imported at the first question, because most runs ask nothing.
  const load = () => import("@clack/prompts");
  const common = { input: stdin, output: stderr, signal };
  const require = ({ message, flag }: Question) => {
    if (!possible)
      fail(`${message} There is no terminal to ask in.`, { exit: "usage", hint: `Give ${flag}.` });
  };
  const answerOf = <Answer>(answer: Answer): Exclude<Answer, symbol> =>
    typeof answer === "symbol"
      ? fail("Cancelled.", { exit: "interrupted" })
      : (answer as Exclude<Answer, symbol>);
  return {
    possible,
    async confirm(question) {
      require(question);
      const { initial = false } = question;
      const message = cleanLines(question.message);
      return answerOf(await (await load()).confirm({ ...common, message, initialValue: initial }));
    },
    async choose<Value extends string>(
      question: Question & { choices: Choice<Value>[]; initial?: Value },
    ): Promise<Value> {
      require(question);
      const { choices, initial } = question;
      const message = cleanLines(question.message);
      const options = choices.map(
        ({ value, label, hint }): Choice<string> => ({
          value,
          label: clean(label),
          ...(hint === undefined ? {} : { hint: clean(hint) }),
        }),
      );
      return answerOf(
        await (await load()).select({
          ...common,
          message,
          options,
          ...(initial === undefined ? {} : { initialValue: initial }),
        }),
      ) as Value;
    },
    async text(question) {
      require(question);
      const { placeholder, check } = question;
      const message = cleanLines(question.message);
      const given = await (await load()).text({
        ...common,
        message,
        ...(placeholder === undefined ? {} : { placeholder: clean(placeholder), defaultValue: placeholder }),
        validate: (value) => {
          const fault = check?.(value || (placeholder ?? ""));
          return fault === undefined ? undefined : cleanLines(fault);
        },
      });
      return answerOf(given);
    },
    async secret(question) {
      require(question);
      return answerOf(await (await load()).password({ ...common, message: cleanLines(question.message) }));
    },
  };
}
