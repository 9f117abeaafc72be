import { useMutation, useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { api, bodyOf as bodyOfAnswer } from "../../api/client.ts";
import { canvasChanged, canvasKey, canvasQuery, invitesQuery, meQuery, queries } from "../../api/queries.ts";
import type { Canvas } from "../../api/types.ts";
import type { Access } from "../../canvas/general-access.ts";
import { organisationOf } from "../../canvas/organisation.ts";
import { toast } from "../../kit/toasts.ts";
import { applied, bodyOf, type Change, overtakenBy, saidOf, type Terms, undoOf } from "./changes.ts";
import { myTeamsQuery } from "./sharing-queries.ts";
import { leaving, type Question, widening } from "./widening.ts";

/** Where on the screen a change is made, and its error shown. */
export type Place = "list" | "access" | "password" | "end";

/** The number of times that a change is merged into what others save meanwhile. */
const ATTEMPTS = 5;

const of = (id: string) => ({ params: { path: { id } } });

/** The errors that say why a general access is impossible, also later. */
const IMPOSSIBLE = new Set([
  "PUBLIC_LINKS_DISABLED",
  "PUBLIC_NOT_ALLOWED",
  "PUBLIC_LINK_OWNER_GATED",
  "ORG_REQUIRED",
]);

/**
 * Makes a change on the canvas that is known. If somebody else has saved other settings meanwhile, the change is merged into those and sent
 * again. Throws if they have changed the same entry since it was `shown`.
 */
async function save(id: string, known: Canvas, change: Change, shown: Terms): Promise<Canvas> {
  for (let attempt = 1, read = known; ; attempt++) {
    const overtaken = overtakenBy(change, shown, read);
    if (overtaken !== null) throw new Error(overtaken);
    const { sharingRevision } = read;
    const body = {
      ...bodyOf(change, read),
      ...(sharingRevision !== null && { expectedSharing: sharingRevision }),
    };
    try {
      return await bodyOfAnswer(api.PUT("/api/canvases/{id}/sharing", { ...of(id), body }));
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "SHARE_CONFLICT" || attempt === ATTEMPTS)
        throw error;
      read = await bodyOfAnswer(api.GET("/api/canvases/{id}", of(id)));
      queries.setQueryData(canvasKey(id), read);
    }
  }
}

/**
 * How a canvas is shared, and how the caller changes it. A change is shown at once and sent as `canvas.share`, one after the other. What lets
 * more people in is asked before; all other changes, and that one, can be undone.
 */
export function useSharing(id: string) {
  const { data: canvas } = useSuspenseQuery(canvasQuery(id));
  const { data: me } = useSuspenseQuery(meQuery);
  const invites = useQuery(invitesQuery(id));
  const teams = useQuery(myTeamsQuery);
  const navigate = useNavigate();
  const [ahead, setAhead] = useState<Terms | null>(null);
  const last = useRef<Terms | null>(null);
  const [failure, setFailure] = useState<{ place: Place; error: Error } | null>(null);
  const [question, setQuestion] = useState<(Question & { confirm: () => Promise<void> }) | null>(null);
  const [impossible, setImpossible] = useState<Partial<Record<Access, string>>>({});

  const organisation = organisationOf(canvas, me);
  const guests = (invites.data ?? []).filter(({ revokedAt }) => revokedAt === null);

  const show = (terms: Terms | null) => {
    last.current = terms;
    setAhead(terms);
  };
  const latest = (): Terms => last.current ?? queries.getQueryData(canvasQuery(id).queryKey) ?? canvas;

  const saving = useMutation({
    mutationKey: ["sharing", id],
    scope: { id: `sharing ${id}` },
    mutationFn: ({ change, shown }: { change: Change; shown: Terms }) =>
      save(id, queries.getQueryData(canvasQuery(id).queryKey) ?? canvas, change, shown),
    onSuccess: (saved) => queries.setQueryData(canvasKey(id), saved),
    onSettled() {
      // Further changes wait in the queue, and are shown already.
      if (queries.isMutating({ mutationKey: ["sharing", id] }) <= 1) show(null);
    },
  });

  /** Makes a change and offers to undo it. Throws the error of the service. */
  async function make(change: Change, said?: string): Promise<void> {
    const shown = latest();
    show(applied(change, shown));
    setFailure(null);
    try {
      await saving.mutateAsync({ change, shown });
      const undo = undoOf(change, shown);
      toast({
        text: said ?? saidOf(change),
        ...(undo !== null && said === undefined && { act: { label: "Undo", run: () => takeBack(undo) } }),
      });
    } catch (error) {
      const { access } = change;
      if (access !== undefined && error instanceof ApiError && IMPOSSIBLE.has(error.code ?? ""))
        setImpossible((before) => ({ ...before, [access]: error.message }));
      await canvasChanged(id);
      throw error;
    }
  }

  const takeBack = (undo: Change) =>
    make(undo, "Undone.").then(
      () => canvasChanged(id),
      (error) => setFailure({ place: "list", error }),
    );

  /** Changes the sharing, after a question where one is due. Calls `onMade` after a success; errors are shown at the place. */
  function share(change: Change, place: Place, onMade: () => void = () => {}): void {
    const terms = latest();
    const own = leaving(change, terms, me.email, teams.data ?? []);
    if (own !== null && canvas.viewerRole === "editor") {
      const confirm = async () => {
        await make(change, "You are no editor of it any more.");
        await navigate({ to: "/" });
        await canvasChanged(id);
      };
      setQuestion({ ...own, confirm });
      return;
    }
    const perform = async () => {
      await make(change);
      void canvasChanged(id);
      onMade();
    };
    const asked = widening(change, terms, { guests: guests.length, organisation });
    if (asked !== null) setQuestion({ ...asked, confirm: perform });
    else void perform().catch((error) => setFailure({ place, error }));
  }

  return {
    canvas,
    me,
    /** The terms as they will be after the changes that are being saved. */
    terms: ahead ?? (canvas as Terms),
    guests,
    invites,
    organisation,
    share,
    failure,
    impossible,
    question,
    closeQuestion: () => setQuestion(null),
  };
}

export type Sharing = ReturnType<typeof useSharing>;
