/** The keys that open the palette, as the keyboard of this computer names them. */
export const PALETTE_KEYS: readonly string[] = /Mac|iPhone|iPad/.test(navigator.platform)
  ? ["⌘", "K"]
  : ["Ctrl", "K"];
