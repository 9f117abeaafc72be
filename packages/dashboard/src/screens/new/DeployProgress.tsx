import type { Progress } from "../../deploy/deploy.ts";
import { Button } from "../../kit/Button.tsx";
import { bytesOf } from "../../kit/bytes.ts";
import { FocusedHeading } from "../../kit/FocusedHeading.tsx";

const TEXTS: Record<Progress["step"], string> = {
  reading: "Reading the files",
  uploading: "Uploading",
  publishing: "Publishing",
};

const percentOf = ({ step, done, total }: Progress): number =>
  step === "publishing" || total === 0 ? 100 : Math.floor((done / total) * 100);

/** How far a deploy is. Screen readers are told every tenth. */
export function DeployProgress({ progress, onStop }: { progress: Progress; onStop: () => void }) {
  const { step, done, total, waiting, isResumed } = progress;
  const percent = percentOf(progress);
  const tenth = Math.floor(percent / 10) * 10;
  return (
    <section className="card stack deploying" aria-labelledby="deploying">
      <FocusedHeading id="deploying">{TEXTS[step]}…</FocusedHeading>
      <progress aria-labelledby="deploying" max={100} value={step === "publishing" ? undefined : percent} />
      <p className="soft">
        {step === "publishing" ? "Almost done." : `${bytesOf(done)} of ${bytesOf(total)}`}
        {isResumed && step === "uploading" ? ". It goes on where it was interrupted." : ""}
      </p>
      {waiting === null ? null : (
        <p className="note wait" role="status">
          {waiting}
        </p>
      )}
      <p className="hidden-text" aria-live="polite">
        {TEXTS[step]}
        {step === "publishing" ? "" : `, ${tenth} %`}
      </p>
      <div className="row">
        <Button onPress={onStop} isDisabled={step === "publishing"}>
          Cancel
        </Button>
      </div>
    </section>
  );
}
