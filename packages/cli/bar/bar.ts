import { reportErrors } from "./report-errors.ts";
import { swapStyles } from "./swap-styles.ts";
import { type BarState, View } from "./view.ts";

/** A message of `easel dev`, as `packages/cli/src/dev/live-pages.ts` sends it. */
type Message = { type: "reload" } | { type: "styles"; paths: string[] } | { type: "state"; state: BarState };

/** The pause before the page tries to connect again after `easel dev` has ended. */
const RETRY_MS = 500;

const view = window === window.top ? new View() : null;
let hasEnded = false;

/** Connects the page to `easel dev`. If the connection closes, connects again and then reloads the page. */
function connect(): void {
  const socket = new WebSocket(`ws://${location.host}/__easel_dev/live`);
  const stopReporting = reportErrors((text) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(text);
    else socket.addEventListener("open", () => socket.send(text), { once: true });
  });
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(data as string) as Message;
    if (message.type === "reload") location.reload();
    else if (message.type === "styles") swapStyles(message.paths);
    else if (hasEnded) location.reload();
    else view?.show(message.state);
  });
  socket.addEventListener("close", () => {
    stopReporting();
    hasEnded = true;
    view?.end();
    setTimeout(connect, RETRY_MS);
  });
}

connect();
