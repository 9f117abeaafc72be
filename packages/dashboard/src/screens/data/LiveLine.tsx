import { useEffect, useState } from "react";
import { runtimeOf, useConnection } from "../../api/runtime.ts";

/** The time after which a lost connection is told. Most are back before. */
const TELL_MS = 1_500;

/** Says that changes of others do not come by themselves at the moment. */
export function LiveLine({ canvas, error }: { canvas: string; error: Error | null }) {
  const isLost = useConnection(runtimeOf(canvas)) === "lost";
  const [isTold, setTold] = useState(false);
  useEffect(() => {
    if (!isLost) return setTold(false);
    const timer = setTimeout(() => setTold(true), TELL_MS);
    return () => clearTimeout(timer);
  }, [isLost]);
  return (
    <div role="status" className="live-line">
      {error !== null ? (
        <p className="small soft">{error.message} The list is read again every half minute.</p>
      ) : isTold ? (
        <p className="small soft">Not live, trying again.</p>
      ) : null}
    </div>
  );
}
