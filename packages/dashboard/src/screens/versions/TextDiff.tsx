import "./text-diff.css";
import { type ReactNode, useMemo, useState, useSyncExternalStore } from "react";
import { readPreference, storePreference } from "../../frame/preferences.ts";
import { Button } from "../../kit/Button.tsx";
import { cutLine, visible } from "../../kit/file-content.ts";
import { Select } from "../../kit/Select.tsx";
import { compareTexts, compareWords, type Line, type Piece, type Row, rowsOf, sectionsOf } from "./lines.ts";

/** The number of lines that are drawn at once. */
const STEP = 1_000;

const LAYOUTS = ["unified", "split"] as const;
type Layout = (typeof LAYOUTS)[number];
const CHOICES = [
  { value: "unified", label: "One below the other" },
  { value: "split", label: "Side by side" },
] as const;

const WIDE = matchMedia("(min-width: 56rem)");

/** Whether two columns of text have room. */
const useIsWide = () =>
  useSyncExternalStore(
    (listener) => {
      WIDE.addEventListener("change", listener);
      return () => WIDE.removeEventListener("change", listener);
    },
    () => WIDE.matches,
  );

/** A text, or how it differs from another one. `before` is null for a text that is compared with nothing. */
export function TextDiff({ path, before, after }: { path: string; before: string | null; after: string }) {
  const [preferred, setPreferred] = useState<Layout>(() => readPreference("diff", LAYOUTS));
  const isWide = useIsWide();
  const hasBoth = before !== null && before !== "" && after !== "";
  const layout = isWide && hasBoth ? preferred : "unified";
  const choose = (to: Layout) => {
    setPreferred(to);
    storePreference("diff", to);
  };
  const sections = useMemo(
    () =>
      before === null ? [{ isFolded: false, rows: rowsOf(after) }] : sectionsOf(compareTexts(before, after)),
    [before, after],
  );
  const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set());
  const [limit, setLimit] = useState(STEP);
  if (sections.length === 0) return <p className="soft">The file is empty.</p>;

  const total = sections.reduce((sum, { rows }) => sum + rows.length, 0);
  const bodies: ReactNode[] = [];
  let left = limit;
  for (const [index, { isFolded, rows }] of sections.entries()) {
    if (left <= 0) break;
    if (isFolded && !unfolded.has(index)) {
      bodies.push(
        <tbody key={index}>
          <tr className="fold">
            <td colSpan={4}>
              <Button look="quiet" onPress={() => setUnfolded(new Set(unfolded).add(index))}>
                Show {rows.length.toLocaleString("en")} equal lines
              </Button>
            </td>
          </tr>
        </tbody>,
      );
      continue;
    }
    const drawn = rows.slice(0, left);
    left -= drawn.length;
    bodies.push(
      <tbody key={index}>
        {layout === "split" ? drawn.map(splitRow) : unifiedRows(drawn, before !== null)}
      </tbody>,
    );
  }
  return (
    <div className="text-diff">
      {isWide && hasBoth ? (
        <Select
          label="Layout of the comparison"
          hideLabel
          choices={CHOICES}
          value={preferred}
          onChange={choose}
        />
      ) : null}
      <table className={layout} aria-label={before === null ? path : `How ${path} differs`}>
        {layout === "split" ? (
          <colgroup>
            <col className="number" />
            <col />
            <col className="number" />
            <col />
          </colgroup>
        ) : null}
        {bodies}
      </table>
      {left > 0 ? null : (
        <Button onPress={() => setLimit(limit + 2 * STEP)}>
          Show more of {total.toLocaleString("en")} lines
        </Button>
      )}
    </div>
  );
}

/** Draws rows one below the other: of changed lines first all old ones, then all new ones. */
function unifiedRows(rows: readonly Row[], isComparison: boolean): ReactNode[] {
  const drawn: ReactNode[] = [];
  let news: ReactNode[] = [];
  const flush = () => {
    drawn.push(...news);
    news = [];
  };
  for (const row of rows) {
    const { kind, left, right } = row;
    if (kind === "equal") {
      flush();
      drawn.push(
        <tr key={`= ${right?.number}`}>
          {isComparison ? <td className="number">{left?.number}</td> : null}
          <td className="number">{right?.number}</td>
          <td className="sign" />
          <LineCell row={row} side="right" />
        </tr>,
      );
      continue;
    }
    if (left !== null)
      drawn.push(
        <tr key={`- ${left.number}`} className="removed">
          <td className="number">{left.number}</td>
          <td className="number" />
          <Sign kind="removed" />
          <LineCell row={row} side="left" />
        </tr>,
      );
    if (right !== null)
      news.push(
        <tr key={`+ ${right.number}`} className="added">
          <td className="number" />
          <td className="number">{right.number}</td>
          <Sign kind="added" />
          <LineCell row={row} side="right" />
        </tr>,
      );
  }
  flush();
  return drawn;
}

/** Draws a row with the old line at the left and the new one at the right. */
const splitRow = (row: Row): ReactNode => (
  <tr key={`${row.left?.number} ${row.right?.number}`}>
    <td className="number">{row.left?.number}</td>
    <LineCell row={row} side="left" isSigned />
    <td className="number">{row.right?.number}</td>
    <LineCell row={row} side="right" isSigned />
  </tr>
);

const Sign = ({ kind }: { kind: "added" | "removed" }) => (
  <td className="sign">
    <SignOf kind={kind} />
  </td>
);

const SignOf = ({ kind }: { kind: "added" | "removed" }) => (
  <>
    <span aria-hidden>{kind === "added" ? "+" : "−"}</span>
    <span className="hidden-text">{kind}</span>
  </>
);

/** The text of one side of a row. With `isSigned`, its sign and colour are in the cell. */
function LineCell({ row, side, isSigned = false }: { row: Row; side: "left" | "right"; isSigned?: boolean }) {
  const line = row[side];
  const kind = row.kind === "equal" || line === null ? null : side === "left" ? "removed" : "added";
  return (
    <td className={`line ${isSigned ? (line === null ? "absent" : (kind ?? "")) : ""}`}>
      {isSigned && kind !== null ? (
        <span className="sign">
          <SignOf kind={kind} />
        </span>
      ) : null}
      {line === null ? null : (
        <LineText line={line} other={row[side === "left" ? "right" : "left"]} row={row} side={side} />
      )}
    </td>
  );
}

const END = /\r?\n$/;

/** The ends of lines in words. They are shown where only one side has them. */
const ENDS = { "": "no line feed at the end", "\n": "ends with LF", "\r\n": "ends with CR LF" } as const;

const endOf = (text: string) => (END.exec(text)?.[0] ?? "") as keyof typeof ENDS;

/** The text of a line: words that differ are marked, very long lines are cut. */
function LineText({
  line,
  other,
  row,
  side,
}: {
  line: Line;
  other: Line | null;
  row: Row;
  side: "left" | "right";
}) {
  const pieces = useMemo((): Piece[] | null => {
    if (row.kind !== "changed" || row.left === null || row.right === null) return null;
    return compareWords(row.left.text, row.right.text)?.[side] ?? null;
  }, [row, side]);
  const end =
    row.kind === "changed" && endOf(line.text) !== endOf(other?.text ?? "") ? (
      <small className="soft"> ({ENDS[endOf(line.text)]})</small>
    ) : null;
  if (pieces !== null)
    return (
      <bdi>
        {pieces.map(({ text, isDifferent }, index) => {
          const shown = visible(text.replace(END, ""));
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces have nothing but their place
          return isDifferent ? <mark key={index}>{shown}</mark> : <span key={index}>{shown}</span>;
        })}
        {end}
      </bdi>
    );
  const { before, text, after } = cutLine(line.text.replace(END, ""), other?.text ?? "");
  return (
    <bdi>
      {before === 0 ? null : <small className="soft">[{before.toLocaleString("en")} characters] </small>}
      {visible(text)}
      {after === 0 ? null : <small className="soft"> [{after.toLocaleString("en")} more characters]</small>}
      {end}
    </bdi>
  );
}
