import { Copy } from "../../kit/Copy.tsx";

/** Code to copy. */
export const Code = ({ text }: { text: string }) => (
  <div className="code-to-copy">
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
    <pre tabIndex={0}>
      <code>{text}</code>
    </pre>
    <Copy text={text} what="code" />
  </div>
);
