import "./loading.css";

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
