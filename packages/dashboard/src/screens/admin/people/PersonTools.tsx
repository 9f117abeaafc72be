import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { adminChanged, endToolsOf, personToolsQuery } from "../../../api/admin.ts";
import type { AdminPerson } from "../../../api/types.ts";
import { Button } from "../../../kit/Button.tsx";
import { ConfirmDialog } from "../../../kit/Dialog.tsx";
import { Reading } from "../../../kit/Loading.tsx";
import { toast } from "../../../kit/toasts.ts";
import { countOf } from "../../../kit/words.ts";
import { ToolList } from "../../../tools/ToolList.tsx";

/** The tools that act for a person, and the end of one or of all. */
export function PersonTools({ person: { id, name } }: { person: AdminPerson }) {
  const query = useQuery(personToolsQuery(id));
  const { data: tools } = query;
  const [isOpen, setOpen] = useState(false);
  return (
    <section className="card stack" aria-labelledby="person-tools">
      <h2 id="person-tools">Connected tools</h2>
      <Reading query={query} what="their connected tools" rows={1} />
      {tools?.length === 0 ? <p className="soft">No tool acts for them.</p> : null}
      {tools === undefined || tools.length === 0 ? null : (
        <ToolList
          tools={tools}
          onEnd={async (tool) => {
            await endToolsOf(id, tool.id);
            await adminChanged();
          }}
        />
      )}
      {tools === undefined || tools.length < 2 ? null : (
        <div>
          <Button onPress={() => setOpen(true)}>End all {tools.length}…</Button>
        </div>
      )}
      <ConfirmDialog
        title="End all their tools?"
        act="End all"
        isDanger
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onConfirm={async () => {
          const { ended } = await endToolsOf(id);
          toast({ text: `Ended ${countOf(ended, "connected tool")} of ${name}.` });
          await adminChanged();
        }}
      >
        <p>
          The tools of <bdi>{name}</bdi> are refused from their next call on. Their sessions and access tokens
          go on, and they can connect the tools again.
        </p>
      </ConfirmDialog>
    </section>
  );
}
