import { Play } from "lucide-react";
import { useState } from "react";
import type { Canvas } from "../../api/types.ts";
import { isEditor } from "../../canvas/state.ts";
import { Button } from "../../kit/Button.tsx";

/** The widths of the frame in CSS pixels. */
const WIDTHS = { Phone: 360, Tablet: 768, Full: null } as const;

type Width = keyof typeof WIDTHS;

/**
 * What the page may do. Its origin is not that of the dashboard, so it keeps its own storage and session. It cannot send the dashboard to
 * another address.
 */
const SANDBOX =
  "allow-scripts allow-same-origin allow-forms allow-modals allow-downloads allow-popups allow-popups-to-escape-sandbox";

/**
 * The page of a canvas in a frame, which a click starts: opening a screen should run no page. Only for subdomain mode, where a page has an
 * origin of its own.
 */
export function PageFrame({ canvas }: { canvas: Canvas }) {
  const [isStarted, setStarted] = useState(false);
  const [width, setWidth] = useState<Width>("Full");
  const { url, title, version } = canvas;
  // The page that asks for the password is shown in no frame.
  if (canvas.hasPassword && !isEditor(canvas)) return null;
  return (
    <section className="page-frame" aria-label="The page">
      <div className="row">
        {isStarted ? (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset needs a legend
          <div className="row" role="group" aria-label="Width of the page">
            {(Object.keys(WIDTHS) as Width[]).map((name) => (
              <Button
                key={name}
                look={name === width ? "plain" : "quiet"}
                aria-pressed={name === width}
                onPress={() => setWidth(name)}
              >
                {name}
              </Button>
            ))}
          </div>
        ) : (
          <Button icon={<Play aria-hidden />} onPress={() => setStarted(true)}>
            Show the page here
          </Button>
        )}
        {isStarted ? (
          <p className="small soft">
            Nothing to see? It may refuse frames:{" "}
            <a href={url} target="_blank" rel="noopener">
              open it in a tab
            </a>
            .
          </p>
        ) : null}
      </div>
      {isStarted ? (
        <div className="page-stage">
          <iframe
            // A new version is loaded again.
            key={version}
            src={url}
            title={`The page of ${title}`}
            sandbox={SANDBOX}
            referrerPolicy="no-referrer"
            style={{ width: WIDTHS[width] ?? "100%" }}
          />
        </div>
      ) : null}
    </section>
  );
}
