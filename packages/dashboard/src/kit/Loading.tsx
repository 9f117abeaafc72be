import "./loading.css";
import { Button } from "./Button.tsx";
import { ErrorNote } from "./ErrorNote.tsx";

/** Grey bars in the place of content that is being read. Told to screen readers once. */
export const Loading = ({ what, rows = 4 }: { what: string; rows?: number }) => (
  <div className="loading" role="status">
    <span className="hidden-text">Reading {what}…</span>
    {Array.from({ length: rows }, (_, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the bars are all the same
      <span key={index} className="bar" />
    ))}
  </div>
);

/** The state of what is read from the service: bars until it is there, and why it could not be read, with a button that tries again. */
export const Reading = ({
  query: { data, error, refetch },
  what,
  rows,
}: {
  query: { data: unknown; error: Error | null; refetch: () => unknown };
  /** What is read, such as "the calls". */
  what: string;
  /** The number of bars. */
  rows?: number;
}) =>
  error !== null ? (
    <ErrorNote error={error}>
      <div>
        <Button onPress={() => void refetch()}>Try again</Button>
      </div>
    </ErrorNote>
  ) : data === undefined ? (
    <Loading what={what} {...(rows === undefined ? {} : { rows })} />
  ) : null;
