import "../kit/dialog.css";
import "./palette.css";
import "../kit/menu.css";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useMatch, useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { Autocomplete, useFilter } from "react-aria-components/Autocomplete";
import { Dialog } from "react-aria-components/Dialog";
import { Header } from "react-aria-components/Header";
import { Menu, MenuItem, MenuSection } from "react-aria-components/Menu";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import { canvasQuery, meQuery } from "../api/queries.ts";
import type { Canvas } from "../api/types.ts";
import { foundQuery } from "../canvas/lists.ts";
import { isEditor } from "../canvas/state.ts";
import { copyText } from "../kit/copy-text.ts";
import { SearchField } from "../kit/SearchField.tsx";
import { useSettled } from "../kit/useSettled.ts";
import { ADMIN_PLACES } from "../screens/admin/places.ts";

interface Entry {
  label: string;
  /** Other words by which it is found. */
  also?: string;
  /** An address of the dashboard, or what to do. */
  run: string | (() => unknown);
}

const SCREENS: readonly Entry[] = [
  { label: "Canvases", also: "home mine list", run: "/" },
  { label: "New canvas", also: "create upload deploy", run: "/new" },
  { label: "Shared with you", run: "/?list=shared" },
  { label: "Organisation", run: "/?list=organisation" },
  { label: "Trash", also: "deleted restore", run: "/?list=trash" },
  { label: "Teams", also: "groups members colleagues", run: "/teams" },
  { label: "Account", also: "sign out theme dark keys", run: "/account" },
  { label: "Documentation", also: "help docs", run: () => window.open("/docs", "_blank", "noopener") },
];

/** The screens of the administration, under names that are not those of other screens. */
const ADMIN_SCREENS: readonly Entry[] = ADMIN_PLACES.map(({ to, label, also }) => ({
  label: `Administration: ${label}`,
  also,
  run: to,
}));

/** The acts and screens of the canvas whose screen is open. */
function actsOf(canvas: Canvas): Entry[] {
  const { id, url, publicationStatus } = canvas;
  const at = `/canvases/${id}`;
  return [
    { label: "Overview", run: at },
    ...(publicationStatus === "published"
      ? [
          { label: "Open", also: "visit page", run: () => window.open(url, "_blank", "noopener") },
          { label: "Copy address", also: "link url", run: () => copyText(url, "address") },
        ]
      : []),
    { label: "Versions", also: "history compare", run: `${at}/versions` },
    ...(isEditor(canvas)
      ? [
          { label: "Sharing", also: "people invite access", run: `${at}/sharing` },
          { label: "Data", also: "records keys collections submissions files", run: `${at}/data` },
          { label: "Backend", also: "policy rights switches AI connections", run: `${at}/backend` },
          { label: "Activity", also: "audit log who changed", run: `${at}/activity` },
          { label: "Refused and failed calls", also: "errors activity", run: `${at}/activity?view=calls` },
          { label: "Use and limits", also: "quota AI activity", run: `${at}/activity?view=use` },
          { label: "Roll back", also: "undo earlier version", run: `${at}/versions` },
          { label: "New version", also: "deploy upload", run: `${at}/deploy` },
        ]
      : []),
  ];
}

/** Goes to a canvas, a screen, or an act of the open canvas, by a part of its name. */
export function Palette({ onClose }: { onClose: () => void }) {
  const router = useRouter();
  const { contains } = useFilter({ sensitivity: "base" });
  const [typed, setTyped] = useState("");
  const id = useMatch({ from: "/canvases/$id", shouldThrow: false })?.params.id;
  const { data: canvas } = useQuery({ ...canvasQuery(id ?? ""), enabled: id !== undefined });
  const { data: me } = useSuspenseQuery(meQuery);
  const found = useQuery(foundQuery(useSettled(typed.trim())));

  const sections: { name: string; entries: Entry[] }[] = [
    ...(id === undefined || canvas === undefined ? [] : [{ name: "This canvas", entries: actsOf(canvas) }]),
    { name: "Screens", entries: [...SCREENS, ...(me.isAdmin ? ADMIN_SCREENS : [])] },
    {
      name: "Canvases",
      entries: (found.data ?? []).map(({ id, title, slug }) => ({
        label: title,
        also: slug,
        run: `/canvases/${id}`,
      })),
    },
  ];
  const perform = (key: string | number) => {
    const [section = "", index = ""] = String(key).split(":");
    const run = sections.find(({ name }) => name === section)?.entries[Number(index)]?.run;
    onClose();
    if (typeof run === "string") router.history.push(run);
    else run?.();
  };
  return (
    <ModalOverlay className="overlay palette-overlay" isOpen isDismissable onOpenChange={onClose}>
      <Modal className="modal palette">
        <Dialog aria-label="Go to" className="palette-dialog">
          <Autocomplete inputValue={typed} onInputChange={setTyped} filter={contains}>
            <SearchField label="Go to a canvas, a screen or an act" autoFocus maxLength={200} />
            <Menu
              className="menu"
              aria-label="Found"
              onAction={perform}
              renderEmptyState={() => (
                <p className="soft small nothing" role="status">
                  {found.isFetching ? "Searching…" : "Nothing has this name."}
                </p>
              )}
            >
              {sections
                .filter(({ entries }) => entries.length > 0)
                .map(({ name, entries }) => (
                  <MenuSection key={name} id={name}>
                    <Header className="palette-section">{name}</Header>
                    {entries.map(({ label, also = "" }, index) => (
                      <MenuItem
                        // biome-ignore lint/suspicious/noArrayIndexKey: titles need not differ
                        key={index}
                        id={`${name}:${index}`}
                        textValue={`${label} ${also}`}
                        aria-label={label}
                        className="menu-item"
                      >
                        <bdi>{label}</bdi>
                      </MenuItem>
                    ))}
                  </MenuSection>
                ))}
            </Menu>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
