import type { Access, AuthoredCanvas, Json } from "@easel/protocol/types";
import { type Bundle, zipOf } from "./canvases/bundle.ts";
import { invalid } from "./errors.ts";
import { type Api, search } from "./request.ts";
import { segment } from "./segment.ts";
import type { SendForm, SendOptions } from "./send-form.ts";
import { requireJson, toJson } from "./value.ts";

/** The settings that a canvas can be published with (specification 4.8). */
export interface CanvasSettings {
  /** The tags of the canvas: at most 20, each of 1 to 64 characters. */
  tags?: string[];
  /**
   * The people who may open the canvas; `private` by default. With `password`, everyone who has the link and enters the password of the
   * field `password` may open it.
   */
  access?: Access | "password";
  /** The password, which visitors enter once: 1 to 200 characters. */
  password?: string;
  /** The time, in epoch milliseconds, at which access ends for everyone except the owner and editors. */
  expiresAt?: number;
  /** Any data to store with the canvas, at most 16 KiB of JSON. `list` can filter by its entries `sourceApp` and `sourceKind`. */
  metadata?: { [name: string]: Json };
}

/** A canvas to publish. */
export interface NewCanvas extends CanvasSettings, SendOptions {
  /** The title: 1 to 200 characters. */
  title: string;
  bundle: Bundle;
  /** The name in the address: 3 to 63 lower-case letters, digits and inner hyphens. By default the service derives it from the title. */
  slug?: string;
  /** The id of the organisation that the canvas belongs to: one of those of the person who uses the page, by default the first. */
  orgId?: string;
}

/** Changes to a published canvas. Fields that are left out stay as they are. */
export interface CanvasChanges extends Omit<CanvasSettings, "password" | "expiresAt">, SendOptions {
  title?: string;
  /** The files of a new version. */
  bundle?: Bundle;
  /** Null removes the password. */
  password?: string | null;
  /** Null removes the time at which access ends. */
  expiresAt?: number | null;
  /**
   * The `updatedAt` of the canvas when the page last read it. If the canvas has changed since then, the update fails with `SHARE_CONFLICT`.
   */
  expectedUpdatedAt?: number;
}

/** Filters of `easel.canvases.list`. A canvas must match all that are given. */
export interface CanvasFilter {
  /** Selects canvases whose `metadata.sourceApp` is this string. */
  sourceApp?: string;
  /** Selects canvases whose `metadata.sourceKind` is this string. */
  sourceKind?: string;
  /** Selects canvases that have all of these tags. A tag must not contain a comma. */
  tags?: string[];
}

/** Publishes canvases from the page of this canvas, under the viewer's account (specification 4.8). */
export interface Canvases {
  /**
   * Publishes a new canvas. Never retries. After a `PublishFailedError` with an `id`, a draft exists, which `update` can publish.
   * @throws PublishFailedError; QuotaExceededError with `QUOTA_EXCEEDED` (`scope` names it), or `INVALID_BODY` for a bundle of more than 50
   * MiB; EaselError with `INVALID_BODY`, `SLUG_TAKEN`, `ORG_REQUIRED`, `PUBLIC_LINKS_DISABLED`, `PUBLIC_NOT_ALLOWED`.
   * @example const { url } = await easel.canvases.publish({ title: "Tea", bundle: { "index.html": "<h1>Tea at four</h1>" } });
   */
  publish(canvas: NewCanvas): Promise<AuthoredCanvas>;
  /**
   * Changes settings, or publishes a new version at the same address, or both. A new version also brings back a revoked canvas.
   * @throws NotFoundError if the viewer may not manage the canvas; UpdatePartialError; EaselError with `SHARE_CONFLICT`, `SHARE_REVOKED`,
   * `DISABLED`, and the errors of `publish` for settings and bundles.
   * @example await easel.canvases.update(id, { access: "whole_org", expectedUpdatedAt: canvas.updatedAt });
   */
  update(id: string, changes: CanvasChanges): Promise<AuthoredCanvas>;
  /**
   * Resolves with the canvases that the viewer has published from pages and still manages. Leaves out deleted canvases.
   * @example const pages = await easel.canvases.list({ sourceApp: "publisher" });
   */
  list(filter?: CanvasFilter): Promise<AuthoredCanvas[]>;
  /**
   * Revokes a canvas: its address no longer shows the page. The canvas stays in the list.
   * @throws NotFoundError if the viewer may not manage the canvas or it is revoked already; EaselError with `DISABLED`.
   * @example await easel.canvases.revoke(id);
   */
  revoke(id: string): Promise<void>;
}

/** Creates `easel.canvases`. */
export function createCanvases(api: Api, sendForm: SendForm): Canvases {
  const at = (id: string) => `/authoring/${segment(id, "canvas id")}`;

  /** Sends the settings as JSON, followed by the zipped bundle if there is one. */
  const send = async (method: string, path: string, given: CanvasChanges): Promise<AuthoredCanvas> => {
    const { bundle, onProgress, signal, ...settings } = given;
    const form = new FormData();
    form.append("metadata", toJson(settings, requireFinite));
    const archive = bundle === undefined ? undefined : await zipOf(bundle, signal);
    if (archive) form.append("bundle", archive, "bundle.zip");
    return sendForm(method, path, form, archive?.size ?? 0, { onProgress: archive && onProgress, signal });
  };

  return {
    async publish(canvas) {
      if (canvas.bundle === undefined) throw invalid("A canvas needs a bundle.");
      return send("POST", "/authoring", canvas);
    },
    async update(id, changes) {
      return send("PUT", at(id), changes);
    },
    async list({ sourceApp, sourceKind, tags = [] } = {}) {
      if (tags.some((tag) => tag.includes(","))) throw invalid("A filter cannot name a tag with a comma.");
      const query = search({ sourceApp, sourceKind, tags: tags.join(",") || null });
      return (await api.json<{ canvases: AuthoredCanvas[] }>("GET", `/authoring${query}`)).canvases;
    },
    async revoke(id) {
      await api.send("DELETE", at(id));
    },
  };
}

/** Returns the value unchanged. Throws for NaN and infinite numbers, because JSON would write them as null, and null clears a setting. */
const requireFinite = (value: unknown) => (typeof value === "number" ? requireJson(value) : value);
