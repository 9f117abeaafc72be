import type { AdminPerson, Handover } from "../../../../api/types.ts";
import { Button } from "../../../../kit/Button.tsx";
import { FocusedHeading } from "../../../../kit/FocusedHeading.tsx";
import type { Share } from "./plan.ts";
import { leaverWords, shareWords } from "./words.ts";

/** The third step: what will happen, in words. */
export const Preview = ({
  person,
  owned,
  shares,
  deactivates,
  endsGuests,
  isPending,
  onBack,
  onPerform,
}: {
  person: AdminPerson;
  owned: Handover;
  shares: readonly Share[];
  deactivates: boolean;
  endsGuests: boolean;
  isPending: boolean;
  onBack: () => void;
  onPerform: () => void;
}) => (
  <>
    <FocusedHeading id="step">This will happen</FocusedHeading>
    <ul className="stack">
      {shares.map((share) => (
        <li key={share.to}>{shareWords(share, owned.teams.length)}</li>
      ))}
      {leaverWords(person.name, { deactivate: deactivates, endGuests: endsGuests }, owned).map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
    <p className="soft small">
      Canvases keep their address, content and sharing. Each is moved on its own and written to the audit log.
      If something fails, what was moved stays moved, and you can repeat the rest.
    </p>
    <div className="row">
      <Button onPress={onBack}>Back</Button>
      <Button look="danger" isPending={isPending} onPress={onPerform}>
        Hand over
      </Button>
    </div>
  </>
);
