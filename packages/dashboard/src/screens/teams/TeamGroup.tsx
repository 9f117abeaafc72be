import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { Me } from "../../api/types.ts";
import { Button } from "../../kit/Button.tsx";
import { ConfirmDialog, Dialog } from "../../kit/Dialog.tsx";
import { TextField } from "../../kit/Field.tsx";
import { toast } from "../../kit/toasts.ts";
import { countOf } from "../../kit/words.ts";
import { type TeamDetails, teamsChanged, updateTeam } from "./team-queries.ts";

/** The group at the sign-in service that a team follows. Whoever made the team chooses it, where people sign in at such a service. */
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
          The team can follow a group of your organisation: its members are then those of the group.
        </p>
      ) : (
        <p>
          The members are those of the group <bdi>{group}</bdi> at the sign-in service, as it named them when
          each of them last signed in. They are changed there.
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
        <GroupForm team={team} onClose={close} />
      </Dialog>
      <ConfirmDialog
        title="Stop following the group?"
        act="Stop following"
        isOpen={isOpen === "end"}
        onClose={close}
        onConfirm={end}
      >
        <p>The members of now stay. From then on you add and remove them yourself.</p>
      </ConfirmDialog>
    </section>
  );
}

function GroupForm({ team, onClose }: { team: TeamDetails; onClose: () => void }) {
  const [group, setGroup] = useState("");
  const follow = useMutation({
    async mutationFn() {
      const { members } = await updateTeam(team.id, { externalGroup: group.trim() });
      await teamsChanged();
      onClose();
      toast({ text: `The team follows the group now. It has ${countOf(members.length, "member")}.` });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!follow.isPending) follow.mutate();
  };
  return (
    <form className="stack" onSubmit={submit}>
      <TextField
        label="Group"
        description="A group that you are in, spelled as the sign-in service spells it. Entra ID sends ids."
        autoFocus
        maxLength={500}
        value={group}
        onChange={setGroup}
        error={follow.error?.message}
      />
      {team.members.length === 0 ? null : (
        <p>
          {countOf(team.members.length, "member is", "members are")} replaced by those of the group. Somebody
          who is not in it loses what is shared with the team.
        </p>
      )}
      <div className="dialog-acts">
        <Button onPress={onClose}>Cancel</Button>
        <Button type="submit" look="primary" isPending={follow.isPending} isDisabled={group.trim() === ""}>
          Follow
        </Button>
      </div>
    </form>
  );
}
