import { useMutation, useQuery } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { api, bodyOf } from "../../api/client.ts";
import { ownMailsQuery, queries } from "../../api/queries.ts";
import type { OwnMails } from "../../api/types.ts";
import { ErrorNote } from "../../kit/ErrorNote.tsx";
import { FocusedHeading } from "../../kit/FocusedHeading.tsx";
import { Toggle } from "../../kit/Toggle.tsx";

type Kind = Exclude<keyof OwnMails, "sent">;
type Patch = Partial<Record<Kind, boolean>>;

const KINDS: readonly { kind: Kind; label: string; description: string }[] = [
  { kind: "shared", label: "Shared with you", description: "Somebody shares a canvas with you." },
  {
    kind: "asked",
    label: "Access asked for",
    description:
      "Somebody asks you for access to a canvas of yours. Without it, they see your address and write to you.",
  },
  {
    kind: "quota",
    label: "Little room left",
    description: "90 % of what you, or one of your canvases, may store is used. At most once in two weeks.",
  },
];

/** Which mails the caller gets. A switch counts at once. Nothing if the instance sends no mails. */
export function Mails() {
  // The section appears once it has been read, too late for the browser to scroll to it.
  const isLinked = useLocation({ select: ({ hash }) => hash === "mails" });
  const { data: mails } = useQuery(ownMailsQuery);
  const { mutate, error } = useMutation({
    mutationKey: ["mails"],
    scope: { id: "mails" },
    mutationFn: (patch: Patch) => bodyOf(api.PATCH("/api/me/mails", { body: patch })),
    // What is being saved is shown as it will be.
    onMutate: (patch) =>
      queries.setQueryData(ownMailsQuery.queryKey, (before) => before && { ...before, ...patch }),
    onSettled() {
      // Further changes wait in the queue, and are shown already.
      if (queries.isMutating({ mutationKey: ["mails"] }) <= 1)
        return queries.invalidateQueries(ownMailsQuery);
    },
  });
  if (mails?.sent !== true) return null;
  return (
    <section className="card stack" id="mails" aria-labelledby="mails-title">
      <FocusedHeading id="mails-title" takesFocus={isLinked}>
        Mails to you
      </FocusedHeading>
      {error === null ? null : <ErrorNote error={error} />}
      {KINDS.map(({ kind, label, description }) => (
        <Toggle
          key={kind}
          isSelected={mails[kind]}
          onChange={(isOn) => mutate({ [kind]: isOn })}
          description={description}
        >
          {label}
        </Toggle>
      ))}
      <p className="small soft">
        You always get a mail when a canvas becomes yours, and before an access token ends.
      </p>
    </section>
  );
}
