import "./teams.css";
import { useMutation, useSuspenseQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { ChevronLeft, Pencil } from "lucide-react";
import { useState } from "react";
import { meQuery, queries } from "../../api/queries.ts";
import { Button } from "../../kit/Button.tsx";
import { DangerAct } from "../../kit/DangerAct.tsx";
import { ConfirmDialog, Dialog, DialogForm } from "../../kit/Dialog.tsx";
import { TextField } from "../../kit/Field.tsx";
import { Screen } from "../../kit/Screen.tsx";
import { toast } from "../../kit/toasts.ts";
import { countOf } from "../../kit/words.ts";
import { Members } from "./Members.tsx";
import { TeamGroup } from "./TeamGroup.tsx";
import {
  deleteTeam,
  leaveTeam,
  type TeamDetails,
  teamQuery,
  teamsChanged,
  updateTeam,
} from "./team-queries.ts";

/** A team: its members, and what its creator can change. */
export function TeamScreen() {
  const { id } = useParams({ from: "/teams/$id" });
  const { data: team } = useSuspenseQuery(teamQuery(id));
  const { data: me } = useSuspenseQuery(meQuery);
  const isCreator = team.createdBy === me.id;
  // Who is in a group is decided at the sign-in service.
  const leaves = team.members.includes(me.email) && team.externalGroup === null;
  return (
    <>
      <Link to="/teams" className="team-back">
        <ChevronLeft aria-hidden />
        Teams
      </Link>
      <Screen title={team.name} acts={isCreator ? <Rename team={team} /> : undefined}>
        <div className="stack">
          <p className="soft">
            Made by {isCreator ? "you" : <bdi>{team.creator.name ?? team.creator.email}</bdi>}.{" "}
            {team.canvases === 0
              ? "No canvas is shared with it yet. Add the team on the Sharing screen of a canvas."
              : `${countOf(team.canvases, "canvas is", "canvases are")} shared with it.`}
          </p>
          <Members team={team} me={me} isCreator={isCreator && team.externalGroup === null} />
          <TeamGroup team={team} me={me} isCreator={isCreator} />
          {isCreator || leaves ? (
            <section className="card danger-zone" aria-labelledby="end">
              <h2 id="end">{!isCreator ? "Leave" : leaves ? "Leave or delete" : "Delete"}</h2>
              {leaves ? <Leave team={team} isCreator={isCreator} /> : null}
              {isCreator ? <Delete team={team} /> : null}
            </section>
          ) : null}
        </div>
      </Screen>
    </>
  );
}

function Rename({ team }: { team: TeamDetails }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button icon={<Pencil aria-hidden />} onPress={() => setOpen(true)}>
        Rename
      </Button>
      <Dialog title="Rename the team" isOpen={isOpen} onClose={() => setOpen(false)}>
        <RenameForm team={team} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

function RenameForm({ team: { id, name }, onClose }: { team: TeamDetails; onClose: () => void }) {
  const [to, setTo] = useState(name);
  const rename = useMutation({
    async mutationFn() {
      await updateTeam(id, { name: to });
      await teamsChanged();
      onClose();
    },
  });
  const submit = () => {
    if (to === name) onClose();
    else rename.mutate();
  };
  return (
    <DialogForm act="Rename" isPending={rename.isPending} onSubmit={submit} onClose={onClose}>
      <TextField
        label="Name"
        autoFocus
        maxLength={100}
        value={to}
        onChange={setTo}
        error={rename.error?.message}
      />
    </DialogForm>
  );
}

function Leave({ team, isCreator }: { team: TeamDetails; isCreator: boolean }) {
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const leave = async () => {
    await leaveTeam(team.id);
    if (!isCreator) await navigate({ to: "/teams", search: {} });
    toast({ text: `You have left ${team.name}.` });
    // The team is not the caller's to read any more.
    if (!isCreator) queries.removeQueries({ queryKey: teamQuery(team.id).queryKey });
    await teamsChanged();
  };
  return (
    <DangerAct title="Leave the team" button={<Button onPress={() => setOpen(true)}>Leave…</Button>}>
      What is shared with it closes to you, unless you get in another way.
      <ConfirmDialog
        title="Leave the team?"
        act="Leave"
        isDanger
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onConfirm={leave}
      >
        <p>
          {countOf(team.canvases, "canvas is", "canvases are")} shared with it. After this you get into{" "}
          {team.canvases === 1 ? "it" : "them"} only where you have another way in, such as a list of people.
        </p>
        <p>
          {isCreator ? (
            "The team stays yours: you can change it, and add yourself again."
          ) : (
            <>
              Only <bdi>{team.creator.name ?? team.creator.email}</bdi> can add you again.
            </>
          )}
        </p>
      </ConfirmDialog>
    </DangerAct>
  );
}

function Delete({ team }: { team: TeamDetails }) {
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const remove = async () => {
    await deleteTeam(team.id);
    await navigate({ to: "/teams", search: {} });
    toast({ text: `Deleted ${team.name}.` });
    queries.removeQueries({ queryKey: teamQuery(team.id).queryKey });
    await teamsChanged();
  };
  return (
    <DangerAct
      title="Delete the team"
      button={
        <Button look="danger" onPress={() => setOpen(true)}>
          Delete…
        </Button>
      }
    >
      Its members lose the access that it gives them. The canvases stay.
      <ConfirmDialog
        title="Delete the team?"
        act="Delete the team"
        isDanger
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onConfirm={remove}
      >
        <p>
          {team.canvases === 0
            ? "No canvas is shared with it."
            : `${countOf(team.canvases, "canvas is", "canvases are")} shared with it: its ${countOf(team.members.length, "member")} lose that access.`}
        </p>
        <p>It cannot be undone. The canvases stay as they are.</p>
      </ConfirmDialog>
    </DangerAct>
  );
}
