import "./meter.css";

/** A bar that shows how much of something is used. `share` is from 0 to 1, `amount` says it in words, `note` is a sentence below. */
export const Meter = ({
  label,
  amount,
  share,
  note,
}: {
  label: string;
  amount: string;
  share: number;
  note?: string;
}) => (
  <div className={`meter${share > 0.9 ? " bad" : ""}`}>
    <span>{label}</span>
    <span className="soft">{amount}</span>
    {/* biome-ignore lint/a11y/useSemanticElements: <meter> looks different in each browser */}
    <div
      className="meter-track"
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(share * 100)}
      aria-valuetext={amount}
    >
      <div className="meter-fill" style={{ width: `${share * 100}%` }} />
    </div>
    {note === undefined ? null : <span className="meter-note soft">{note}</span>}
  </div>
);
