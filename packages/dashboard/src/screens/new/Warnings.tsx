/** A sentence in which backticks mark code. */
const Sentence = ({ text }: { text: string }) => (
  <bdi>
    {text.split("`").map((part, index) =>
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence never move
      index % 2 === 1 ? <code key={index}>{part}</code> : part,
    )}
  </bdi>
);

/** What the service says about the content of a deploy: likely mistakes. */
export const Warnings = ({ warnings }: { warnings: readonly string[] }) =>
  warnings.length === 0 ? null : (
    <ul className="note wait">
      {warnings.map((warning) => (
        <li key={warning}>
          <Sentence text={warning} />
        </li>
      ))}
    </ul>
  );
