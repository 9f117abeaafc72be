import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { Me } from "../../api/types.ts";
import { Button } from "../../kit/Button.tsx";
import { ConfirmDialog, Dialog, DialogForm } from "../../kit/Dialog.tsx";
import { TextField } from "../../kit/Field.tsx";
import { toast } from "../../kit/toasts.ts";
import { countOf } from "../../kit/words.ts";
import { type TeamDetails, teamsChanged, updateTeam } from "./team-queries.ts";

/** The group at the sign-in service that a team follows. The person who made the team chooses it. */
export function TeamGroup({ team, me, isCreator }: { team: TeamDetails; me: Me; isCreator: boolean }) {
  const { externalGroup: group } = team;
  const [isOpen, setOpen] = useState<"choose" | "end" | null>(null);
  if (group === null && (!isCreator || me.authMode === "dev")) return null;
  const close = () => setOpen(null);
  const end = async () => {
    await updateTeam(team.id, { externalGroup: null });
    await teamsChanged();
    toast({ text: "The team follows no group any more. Its members stay." });
  };
  return (
    <section className="card stack" aria-labelledby="group">
      <h2 id="group">Group</h2>
      {group === null ? (
        <p className="soft">
          The team can follow a group of the sign-in service. Then the members of the group are its members.
        </p>
      ) : (
        <p>
          The team follows the group{" "}
          <strong>
            <bdi>{group}</bdi>
          </strong>
          . To add or remove somebody, change the group at the sign-in service. A change counts at the latest
          with the next sign-in of that person.
        </p>
      )}
      {isCreator ? (
        <div>
          <Button onPress={() => setOpen(group === null ? "choose" : "end")}>
            {group === null ? "Follow a group…" : "Stop following…"}
          </Button>
        </div>
      ) : null}
      <Dialog title="Follow a group" isOpen={isOpen === "choose"} onClose={close}>
        <GroupForm team={team} me={me} onClose={close} />
      </Dialog>
      <ConfirmDialog
        title="Stop following the group?"
        act="Stop following"
        isOpen={isOpen === "end"}
        onClose={close}
        onConfirm={end}
      >
        <p>The present members stay. After this, you add and remove members yourself.</p>
      </ConfirmDialog>
    </section>
  );
}

function GroupForm({ team, me, onClose }: { team: TeamDetails; me: Me; onClose: () => void }) {
  const [group, setGroup] = useState("");
  const follow = useMutation({
    async mutationFn() {
      const { members } = await updateTeam(team.id, { externalGroup: group.trim() });
      await teamsChanged();
      onClose();
      toast({ text: `The team follows the group now. It has ${countOf(members.length, "member")}.` });
    },
  });
  return (
    <DialogForm
      act="Follow"
      isPending={follow.isPending}
      isDisabled={group.trim() === ""}
      onSubmit={() => follow.mutate()}
      onClose={onClose}
    >
      <TextField
        label="Group"
        description={`${me.isAdmin ? "" : "You must be in it. "}Enter it as the sign-in service spells it. Entra ID uses ids, such as 6f1c2a1e-9a51-4c0e-8f0f-1b8f3f7b6a55.`}
        autoFocus
        maxLength={500}
        value={group}
        onChange={setGroup}
        error={follow.error?.message}
      />
      {team.members.length === 0 ? null : (
        <p>
          The members of the group replace the {countOf(team.members.length, "present member")}. People
          outside the group lose what is shared with the team.
        </p>
      )}
    </DialogForm>
  );
}
