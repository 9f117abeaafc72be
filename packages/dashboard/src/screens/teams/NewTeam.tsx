import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { Me } from "../../api/types.ts";
import { Dialog, DialogForm } from "../../kit/Dialog.tsx";
import { TextField } from "../../kit/Field.tsx";
import { Toggle } from "../../kit/Toggle.tsx";
import { createTeam, teamsChanged } from "./team-queries.ts";

/** Asks for the name of a new team, and leads to the team. */
export const NewTeam = ({ me, isOpen, onClose }: { me: Me; isOpen: boolean; onClose: () => void }) => (
  <Dialog title="New team" isOpen={isOpen} onClose={onClose}>
    <TeamForm me={me} onClose={onClose} />
  </Dialog>
);

function TeamForm({ me, onClose }: { me: Me; onClose: () => void }) {
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const [joins, setJoins] = useState(true);
  const make = useMutation({
    async mutationFn() {
      const { id } = await createTeam({ name, members: joins ? [me.email] : [] });
      await teamsChanged();
      onClose();
      await navigate({ to: "/teams/$id", params: { id } });
    },
  });
  return (
    <DialogForm
      act="Make the team"
      isPending={make.isPending}
      onSubmit={() => make.mutate()}
      onClose={onClose}
    >
      <TextField
        label="Name"
        description="Such as Design, or the name of a project. Its members see it."
        autoFocus
        maxLength={100}
        value={name}
        onChange={setName}
        error={make.error?.message}
      />
      <Toggle
        isSelected={joins}
        onChange={setJoins}
        description="Then what others share with the team is open to you. You can change the team either way."
      >
        I am a member, too
      </Toggle>
    </DialogForm>
  );
}
