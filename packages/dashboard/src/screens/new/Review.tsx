import { capabilitiesOff } from "@easel/server/easel-json-changes";
import { useEffect, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { canvasQuery, queries, versionsQuery } from "../../api/queries.ts";
import type { Canvas } from "../../api/types.ts";
import type { Content } from "../../deploy/content.ts";
import type { Target } from "../../deploy/deploy.ts";
import { type Naming, namingOf, otherSlugs } from "../../deploy/naming.ts";
import { BadOffer, type LeftOutPath } from "../../deploy/offered.ts";
import { Button, ButtonLink } from "../../kit/Button.tsx";
import { bytesOf } from "../../kit/bytes.ts";
import { ErrorNote } from "../../kit/ErrorNote.tsx";
import { TextField } from "../../kit/Field.tsx";
import { FocusedHeading } from "../../kit/FocusedHeading.tsx";
import { Toggle } from "../../kit/Toggle.tsx";
import { countOf } from "../../kit/words.ts";
import { Warnings } from "./Warnings.tsx";

/** The number of left-out paths that are in view at first. */
const SHOWN = 6;

const LeftOutLine = ({ path, files, reason }: LeftOutPath) => (
  <li>
    <bdi className="mono">{path}</bdi>{" "}
    <span className="soft small">
      ({reason}
      {files === null ? "" : `, ${countOf(files, "file")}`})
    </span>
  </li>
);

/** What is left out, the first lines in view. */
const LeftOut = ({ paths }: { paths: readonly LeftOutPath[] }) =>
  paths.length === 0 ? null : (
    <section aria-labelledby="left-out">
      <h3 id="left-out">Left out</h3>
      <ul>
        {paths.slice(0, SHOWN).map((each) => (
          <LeftOutLine key={each.path} {...each} />
        ))}
      </ul>
      {paths.length > SHOWN ? (
        <details>
          <summary>{countOf(paths.length - SHOWN, "more path")}</summary>
          <ul>
            {paths.slice(SHOWN).map((each) => (
              <LeftOutLine key={each.path} {...each} />
            ))}
          </ul>
        </details>
      ) : null}
    </section>
  );

function summaryOf({ body, bytes }: Content): string {
  return body.kind === "zip"
    ? `A zip, ${bytesOf(bytes)}`
    : `${countOf(body.files.length, "file")}, ${bytesOf(bytes)}`;
}

/** What will be published, before anything is sent. */
function Contents({ content, takesFocus }: { content: Content; takesFocus: boolean }) {
  return (
    <section className="card stack" aria-labelledby="contents">
      <div>
        <FocusedHeading id="contents" takesFocus={takesFocus}>
          What will be published
        </FocusedHeading>
        <p>
          {summaryOf(content)}
          {content.name === "" ? null : (
            <>
              {" from "}
              <bdi className="mono">{content.name}</bdi>
            </>
          )}
        </p>
      </div>
      <LeftOut paths={content.leftOut} />
      <Warnings warnings={content.warnings} />
    </section>
  );
}

/** An error of a deploy. Those of a field are shown there. */
function DeployError({ error, content }: { error: Error; content: Content }) {
  const isQuota = error instanceof ApiError && error.code === "QUOTA_EXCEEDED";
  return (
    <ErrorNote error={error}>
      {error instanceof BadOffer && error.hint !== null ? <p className="small">{error.hint}</p> : null}
      {isQuota ? <p className="small">This deploy has {bytesOf(content.bytes)}.</p> : null}
    </ErrorNote>
  );
}

const codeOf = (error: Error | null): string | null => (error instanceof ApiError ? error.code : null);

/** Returns the field of a new canvas that an error is about. It is shown there, and gets the focus. */
function faultyField(error: Error | null): "title" | "slug" | null {
  if (!(error instanceof ApiError)) return null;
  if (error.code === "SLUG_TAKEN") return "slug";
  const { field } = error.body;
  return field === "title" || field === "slug" ? field : null;
}

interface ReviewProps {
  content: Content;
  error: Error | null;
  onDeploy: (target: Target) => void;
  onBack: () => void;
}

/** Two addresses to take instead of one that is taken. */
const Proposals = ({ slug, onChoose }: { slug: string; onChoose: (slug: string) => void }) => {
  const [proposals] = useState(() => otherSlugs(slug));
  return (
    <div className="row">
      <span className="soft small">Take another one:</span>
      {proposals.map((each) => (
        <Button key={each} onPress={() => onChoose(each)}>
          {each}
        </Button>
      ))}
    </div>
  );
};

/** The names that a person has typed for content, kept while a deploy runs. */
const typed = new WeakMap<Content, Naming>();

function NewReview({ content, error, onDeploy, onBack }: ReviewProps) {
  const [naming, setNaming] = useState<Naming>(() => typed.get(content) ?? namingOf(content));
  const change = (fields: Partial<Naming>) => {
    const next = { ...naming, ...fields };
    typed.set(content, next);
    setNaming(next);
  };
  // The names that the error is about. It is no longer shown when they have changed.
  const [refused] = useState(naming);
  const faulty = faultyField(error);
  const isFaulty = (field: keyof Naming) => faulty === field && naming[field] === refused[field];
  const isTaken = isFaulty("slug") && codeOf(error) === "SLUG_TAKEN";
  return (
    <form
      className="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onDeploy({ kind: "new", naming: { title: naming.title.trim(), slug: naming.slug.trim() } });
      }}
    >
      <section className="card stack" aria-label="Title and address">
        <TextField
          label="Title"
          value={naming.title}
          onChange={(title) => change({ title })}
          maxLength={200}
          isRequired
          validationBehavior="aria"
          autoFocus={faulty === "title"}
          error={isFaulty("title") ? error?.message : null}
        />
        <TextField
          label="Address"
          value={naming.slug}
          onChange={(slug) => change({ slug })}
          description="Lower-case letters, digits and hyphens. Without one, it is made from the title."
          maxLength={63}
          autoComplete="off"
          spellCheck="false"
          validationBehavior="aria"
          autoFocus={faulty === "slug"}
          error={isTaken ? "This address is taken." : isFaulty("slug") ? error?.message : null}
        />
        {isTaken ? <Proposals slug={naming.slug} onChoose={(slug) => change({ slug })} /> : null}
      </section>
      {error === null || faulty !== null ? null : <DeployError error={error} content={content} />}
      <div className="row">
        <Button type="submit" look="primary">
          {error === null || faulty !== null ? "Deploy" : "Try again"}
        </Button>
        <Button onPress={onBack}>Choose something else</Button>
      </div>
    </form>
  );
}

/** Who has published meanwhile, and the ways on. */
function Conflict({ canvas, onForce }: { canvas: Canvas; onForce: () => void }) {
  const [who, setWho] = useState<string | null>(null);
  useEffect(() => {
    void queries
      .fetchQuery({ ...versionsQuery(canvas.id), staleTime: 0 })
      .then((versions) => setWho(versions.find(({ current }) => current)?.createdByName ?? null))
      .catch(() => undefined);
    void queries.invalidateQueries({ queryKey: canvasQuery(canvas.id).queryKey });
  }, [canvas.id]);
  return (
    <div className="note wait" role="alert">
      <p>
        <bdi>{who ?? "Somebody"}</bdi> has published another version meanwhile.
      </p>
      <div className="row">
        <ButtonLink to="/canvases/$id/versions" params={{ id: canvas.id }}>
          See the versions
        </ButtonLink>
        <Button onPress={onForce}>Deploy anyway</Button>
      </div>
    </div>
  );
}

function VersionReview({ content, error, canvas, onDeploy, onBack }: ReviewProps & { canvas: Canvas }) {
  const isZip = content.body.kind === "zip";
  const [isLookedAt, setLookedAt] = useState(false);
  const off = capabilitiesOff(canvas, content.settings?.capabilities);
  const [isEnabling, setEnabling] = useState(true);
  const run = (force: boolean) =>
    onDeploy({
      kind: "version",
      canvas,
      publish: !isLookedAt,
      force,
      enable: isEnabling ? off : [],
    });
  const isConflict = codeOf(error) === "VERSION_CONFLICT";
  return (
    <div className="stack">
      <section className="card stack" aria-label="How it is published">
        <Toggle
          isSelected={isLookedAt}
          onChange={setLookedAt}
          isDisabled={isZip}
          description={
            isZip
              ? "A zip is published at once. Choose the folder to look at it first."
              : "The version is stored. You open it by a link, and publish it when it is right."
          }
        >
          Look at it before everyone does
        </Toggle>
        {off.length > 0 && !isLookedAt ? (
          <Toggle
            isSelected={isEnabling}
            onChange={setEnabling}
            description="easel.json needs it, and it is off on this canvas."
          >
            Turn on {off.join(", ")}
          </Toggle>
        ) : null}
      </section>
      {isConflict ? <Conflict canvas={canvas} onForce={() => run(true)} /> : null}
      {error === null || isConflict ? null : <DeployError error={error} content={content} />}
      <div className="row">
        <Button look="primary" onPress={() => run(false)}>
          {isLookedAt ? "Store the version" : "Deploy"}
        </Button>
        <Button onPress={onBack}>Choose something else</Button>
      </div>
    </div>
  );
}

/** What will be published, and how: the last step before it is sent. */
export const Review = ({ canvas, ...props }: ReviewProps & { canvas: Canvas | null }) => (
  <div className="stack">
    <Contents content={props.content} takesFocus={faultyField(props.error) === null} />
    {canvas === null ? <NewReview {...props} /> : <VersionReview {...props} canvas={canvas} />}
  </div>
);
