import { kv, me, realtime } from "@easel/sdk";
import { createContext, createElement, type ReactElement, type ReactNode, useContext } from "react";
import { type EaselParts, type Stores, storesOf } from "./stores.ts";

/** The canvas of the page. */
const PAGE: EaselParts = { me, kv, realtime };

const Context = createContext<EaselParts>(PAGE);

/**
 * Gives the hooks below it another canvas than that of the page, or a fake in tests. Create `easel` once, outside components.
 * @example <EaselProvider easel={createEasel({ url: "https://easel.example/c/tea/" })}><App /></EaselProvider>
 */
export function EaselProvider(props: { easel: EaselParts; children?: ReactNode }): ReactElement {
  return createElement(Context.Provider, { value: props.easel }, props.children);
}

/** Returns the stores of the canvas. */
export const useStores = (): Stores => storesOf(useContext(Context));
