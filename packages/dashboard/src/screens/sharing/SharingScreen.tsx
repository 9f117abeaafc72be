import "./sharing.css";
import { useSuspenseQuery } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";
import { canvasQuery, meQuery } from "../../api/queries.ts";
import { accessSentence } from "../../canvas/access-sentence.ts";
import { isEditor } from "../../canvas/state.ts";
import { ConfirmDialog } from "../../kit/Dialog.tsx";
import { useDocumentTitle } from "../../kit/Screen.tsx";
import { AccessList } from "./AccessList.tsx";
import { AddPeople } from "./AddPeople.tsx";
import { Conditions } from "./Conditions.tsx";
import { Explain } from "./Explain.tsx";
import { GeneralAccess } from "./GeneralAccess.tsx";
import { Guests } from "./Guests.tsx";
import { proposedIn } from "./proposal.ts";
import { useSharing } from "./useSharing.ts";

/** Who may open a canvas: for those who may change that. */
export function SharingScreen() {
  const { id } = useParams({ from: "/canvases/$id" });
  const { add } = useSearch({ from: "/canvases/$id/sharing" });
  const { data: canvas } = useSuspenseQuery(canvasQuery(id));
  const { data: me } = useSuspenseQuery(meQuery);
  useDocumentTitle(`Sharing · ${canvas.title}`);
  if (isEditor(canvas)) return <Sharing key={add} id={id} proposed={proposedIn(add)} />;
  return (
    <p className="card">
      {accessSentence(canvas, me, 0)} Only the owner, <bdi>{canvas.owner.name}</bdi>, and the editors see and
      change with whom it is shared.
    </p>
  );
}

function Sharing({ id, proposed }: { id: string; proposed: string | null }) {
  const sharing = useSharing(id);
  const { question, closeQuestion } = sharing;
  return (
    <div className="sharing">
      <div className="stack">
        <section className="card stack" aria-labelledby="who">
          <h2 id="who">Who has access</h2>
          <AddPeople sharing={sharing} proposed={proposed} />
          <AccessList sharing={sharing} />
          <GeneralAccess sharing={sharing} />
        </section>
        <Conditions sharing={sharing} />
        <Guests sharing={sharing} />
      </div>
      <Explain sharing={sharing} />
      {question === null ? null : (
        <ConfirmDialog
          title={question.title}
          act={question.act}
          isOpen
          onClose={closeQuestion}
          onConfirm={question.confirm}
        >
          {question.text.map((each) => (
            <p key={each}>{each}</p>
          ))}
        </ConfirmDialog>
      )}
    </div>
  );
}
