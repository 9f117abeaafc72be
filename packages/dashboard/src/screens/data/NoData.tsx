import { Database } from "lucide-react";
import type { Canvas } from "../../api/types.ts";
import { Copy } from "../../kit/Copy.tsx";
import { Empty } from "../../kit/Empty.tsx";
import { Gate } from "./Gate.tsx";

const CODE = `await easel.kv.set("greeting", { text: "Hello" });`;

/** What the screen shows when a canvas stores nothing, and its policy has no collection: how its page stores something. */
export const NoData = ({ canvas }: { canvas: Canvas }) => (
  <Gate canvas={canvas} capability="kv">
    <Empty icon={<Database aria-hidden />} title="Nothing is stored yet">
      <p>The page of this canvas stores a value with one line of its script:</p>
      <Code text={CODE} />
      <p>
        For lists of records, name a collection in <code>easel.json</code>.{" "}
        <a href="/docs/easel-json.md" target="_blank" rel="noopener">
          How data works
        </a>
      </p>
    </Empty>
  </Gate>
);

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
