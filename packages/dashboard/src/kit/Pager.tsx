import { ChevronLeft, ChevronRight } from "lucide-react";
import { Button } from "./Button.tsx";

/** The number of entries on a page. */
const PAGE = 50;

/** Returns the entries of a page, counted from 0, or of the last page if there are fewer. */
export function pageOf<Entry>(entries: readonly Entry[], page: number) {
  const shown = Math.max(0, Math.min(page, Math.ceil(entries.length / PAGE) - 1));
  return { page: shown, entries: entries.slice(shown * PAGE, (shown + 1) * PAGE) };
}

/** Buttons to the pages of a long list, with what is shown of it. Nothing for a short one. */
export function Pager({
  page,
  entries,
  total,
  onPage,
}: {
  page: number;
  entries: readonly unknown[];
  total: number;
  onPage: (page: number) => void;
}) {
  if (total <= PAGE) return null;
  const first = page * PAGE + 1;
  return (
    <nav className="pager row" aria-label="Pages of the list">
      <Button
        icon={<ChevronLeft aria-hidden />}
        aria-label="The page before"
        isDisabled={page === 0}
        onPress={() => onPage(page - 1)}
      />
      <span role="status">
        {first} to {first + entries.length - 1} of {total.toLocaleString("en")}
      </span>
      <Button
        icon={<ChevronRight aria-hidden />}
        aria-label="The next page"
        isDisabled={page * PAGE + entries.length >= total}
        onPress={() => onPage(page + 1)}
      />
    </nav>
  );
}
