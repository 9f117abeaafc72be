import "./palette.css";
import { Dialog } from "../kit/Dialog.tsx";
import { KEYS } from "./keys.ts";
import { PALETTE_KEYS } from "./palette-keys.ts";

/** The keys of the dashboard, and where they are turned off. */
export const KeyList = ({ onClose }: { onClose: () => void }) => (
  <Dialog title="Keys" isOpen onClose={onClose}>
    <dl className="key-list">
      {[{ keys: PALETTE_KEYS, does: "Go to anything by its name" }, ...KEYS].map(({ keys, does }) => (
        <div key={does}>
          <dt>
            {keys.map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
    <p className="small soft">
      In a list, arrows move, Enter opens and Space selects. Single keys can be turned off in your account.
    </p>
  </Dialog>
);
