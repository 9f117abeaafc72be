import type { Access, AuthoredCanvas, Json } from "@easel/protocol/types";
import { type Bundle, zipOf } from "./canvases/bundle.ts";
import { invalid } from "./errors.ts";
import { type Api, search } from "./request.ts";
import { segment } from "./segment.ts";
import type { SendForm, SendOptions } from "./send-form.ts";
import { requireJson, toJson } from "./value.ts";

/** The share settings of a published canvas (specification 4.8). */
export interface CanvasSettings {
  /** At most 20 tags of 1 to 64 characters. */
  tags?: string[];
  /** `private` by default. `password` is a Public link with a password, which `password` then sets. */
  access?: Access | "password";
  /** 1 to 200 characters, which visitors enter once. */
  password?: string;
  /** When access ends for everyone but owner and editors, in epoch milliseconds. */
  expiresAt?: number;
  /** Data of the page, at most 16 KiB of JSON. `list` filters by its entries `sourceApp` and `sourceKind`. */
  metadata?: { [name: string]: Json };
}

/** A canvas to publish. */
export interface NewCanvas extends CanvasSettings, SendOptions {
  /** 1 to 200 characters. */
  title: string;
  bundle: Bundle;
  /** The name in the address: 3 to 63 lower-case letters, digits and inner hyphens. By default it follows the title. */
  slug?: string;
  /** The home organisation, one of the viewer's. By default the first of them. */
  orgId?: string;
}

/** Changes of a published canvas. What is left out stays as it is. */
export interface CanvasChanges extends Omit<CanvasSettings, "password" | "expiresAt">, SendOptions {
  title?: string;
  /** The files of a new version. */
  bundle?: Bundle;
  /** Null removes the password. */
  password?: string | null;
  /** Null removes the expiry. */
  expiresAt?: number | null;
  /** The `updatedAt` of the record that the changes are based on. If it has changed since, the update fails with `SHARE_CONFLICT`. */
  expectedUpdatedAt?: number;
}

/** Filters of a list. A canvas must match all of them. */
export interface CanvasFilter {
  /** The string `sourceApp` of `metadata`. */
  sourceApp?: string;
  /** The string `sourceKind` of `metadata`. */
  sourceKind?: string;
  /** Tags without commas. */
  tags?: string[];
}

/** Canvases that this canvas publishes under the viewer's account (specification 4.8). */
export interface Canvases {
  /**
   * Publishes a new canvas. Never retried. A `PublishFailedError` with an `id` leaves a draft, which `update` can publish.
   * @example const { url } = await easel.canvases.publish({ title: "Tea", bundle: { "index.html": "<h1>Tea at four</h1>" } });
   */
  publish(canvas: NewCanvas): Promise<AuthoredCanvas>;
  /**
   * Changes settings, or publishes a new version at the same address, or both. A new version also brings back a revoked canvas.
   * @example await easel.canvases.update(id, { access: "whole_org", expectedUpdatedAt: canvas.updatedAt });
   */
  update(id: string, changes: CanvasChanges): Promise<AuthoredCanvas>;
  /**
   * Resolves with the canvases that the viewer published from pages and still manages, in every state except deleted.
   * @example const pages = await easel.canvases.list({ sourceApp: "publisher" });
   */
  list(filter?: CanvasFilter): Promise<AuthoredCanvas[]>;
  /**
   * Revokes a canvas: its address stops serving, and the record stays in the list.
   * @example await easel.canvases.revoke(id);
   */
  revoke(id: string): Promise<void>;
}

/** Creates `easel.canvases`. */
export function createCanvases(api: Api, sendForm: SendForm): Canvases {
  const at = (id: string) => `/authoring/${segment(id, "canvas id")}`;

  /** Sends settings, and after them the zipped bundle if there is one. */
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

/** Throws for numbers that JSON would write as null, which clears a setting. */
const requireFinite = (value: unknown) => (typeof value === "number" ? requireJson(value) : value);
