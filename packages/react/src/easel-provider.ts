import { kv, me, realtime } from "@easel/sdk";
import { createContext, createElement, type ReactElement, type ReactNode, useContext } from "react";
import { type EaselParts, type Stores, storesOf } from "./stores.ts";

/** The SDK for the canvas that the page belongs to. The hooks use it outside an `EaselProvider`. */
const PAGE: EaselParts = { me, kv, realtime };

const Context = createContext<EaselParts>(PAGE);

/**
 * Makes the hooks of the components inside it use the SDK object `easel`: one for another canvas, or a fake in a test. Create `easel` once,
 * outside components, because each new object starts with no data.
 * @example <EaselProvider easel={createEasel({ url: "https://easel.example/c/tea/" })}><App /></EaselProvider>
 */
export function EaselProvider(props: { easel: EaselParts; children?: ReactNode }): ReactElement {
  return createElement(Context.Provider, { value: props.easel }, props.children);
}

/** Returns the stores for the `easel` of the nearest `EaselProvider`, or for the canvas of the page if there is no provider. */
export const useStores = (): Stores => storesOf(useContext(Context));
