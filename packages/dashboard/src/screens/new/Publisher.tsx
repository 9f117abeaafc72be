import "./new.css";
import { useSuspenseQuery } from "@tanstack/react-query";
import { useBlocker } from "@tanstack/react-router";
import { useCallback, useEffect, useRef, useState } from "react";
import { canvasChanged, meQuery } from "../../api/queries.ts";
import type { Canvas } from "../../api/types.ts";
import { type Content, contentOf } from "../../deploy/content.ts";
import { type Deployed, deploy, type Progress, type Target } from "../../deploy/deploy.ts";
import { onHandedOver, takeOver } from "../../deploy/handed-over.ts";
import type { Offer } from "../../deploy/offered.ts";
import { ConfirmDialog } from "../../kit/Dialog.tsx";
import { Loading } from "../../kit/Loading.tsx";
import { DeployProgress } from "./DeployProgress.tsx";
import { NewVersionDone } from "./NewVersionDone.tsx";
import { Online } from "./Online.tsx";
import { Review } from "./Review.tsx";
import { Source } from "./Source.tsx";

type Phase =
  | { at: "source"; error: Error | null }
  | { at: "reading" }
  | { at: "review"; content: Content; error: Error | null }
  | { at: "deploying"; content: Content; progress: Progress; stop: AbortController }
  | { at: "done"; content: Content; deployed: Deployed };

const NOTHING: Progress = { step: "reading", done: 0, total: 0, waiting: null, isResumed: false };

/** The reason with which a person stops a deploy. */
const STOPPED = new DOMException("The deploy was stopped.", "AbortError");

/** The steps from a source to its address. `canvas` is null for a new canvas. */
export function Publisher({ canvas }: { canvas: Canvas | null }) {
  const { data: me } = useSuspenseQuery(meQuery);
  const [phase, setPhase] = useState<Phase>({ at: "source", error: null });
  const isDeploying = phase.at === "deploying";
  const latest = useRef<Promise<Offer>>(undefined);

  const read = useCallback(
    async (offer: Promise<Offer>) => {
      latest.current = offer;
      setPhase({ at: "reading" });
      let next: Phase;
      try {
        next = { at: "review", content: await contentOf(await offer, me.urlMode), error: null };
      } catch (error) {
        next = { at: "source", error: error as Error };
      }
      // Something else may have been dropped meanwhile.
      if (latest.current === offer) setPhase(next);
    },
    [me.urlMode],
  );

  // Takes what was dropped on the window, now and while the screen is open. A deploy that runs is not disturbed.
  useEffect(() => {
    if (isDeploying) return;
    const take = () => {
      const offer = takeOver();
      if (offer !== undefined) void read(offer);
    };
    take();
    return onHandedOver(take);
  }, [isDeploying, read]);

  const run = async (content: Content, target: Target) => {
    const stop = new AbortController();
    setPhase({ at: "deploying", content, progress: { ...NOTHING, total: content.bytes }, stop });
    const tell = (progress: Progress) => setPhase({ at: "deploying", content, progress, stop });
    try {
      const deployed = await deploy(content, target, stop.signal, tell);
      setPhase({ at: "done", content, deployed });
      void canvasChanged(deployed.canvas.id);
    } catch (error) {
      setPhase({ at: "review", content, error: error === STOPPED ? null : (error as Error) });
    }
  };

  const leaving = useBlocker({
    shouldBlockFn: () => isDeploying,
    enableBeforeUnload: isDeploying,
    withResolver: true,
  });
  const stopAndLeave = async () => {
    if (phase.at === "deploying") phase.stop.abort(STOPPED);
    leaving.proceed?.();
  };

  return (
    <div className={phase.at === "source" ? undefined : "publisher"}>
      <ConfirmDialog
        title="Stop the deploy?"
        act="Stop and leave"
        isDanger
        isOpen={leaving.status === "blocked"}
        onClose={() => leaving.reset?.()}
        onConfirm={stopAndLeave}
      >
        <p>It is not done yet. If you leave, nothing is published.</p>
      </ConfirmDialog>
      {phase.at === "source" ? <Source error={phase.error} onOffer={read} canvas={canvas} /> : null}
      {phase.at === "reading" ? <Loading what="the files" /> : null}
      {phase.at === "review" ? (
        <Review
          content={phase.content}
          error={phase.error}
          canvas={canvas}
          onDeploy={(target) => run(phase.content, target)}
          onBack={() => setPhase({ at: "source", error: null })}
        />
      ) : null}
      {phase.at === "deploying" ? (
        <DeployProgress progress={phase.progress} onStop={() => phase.stop.abort(STOPPED)} />
      ) : null}
      {phase.at === "done" ? (
        canvas === null ? (
          <Online me={me} {...phase.deployed} />
        ) : (
          <NewVersionDone {...phase.deployed} />
        )
      ) : null}
    </div>
  );
}
