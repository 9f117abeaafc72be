import { toast } from "./toasts.ts";

/** Copies a text, and says so: "Copied the address." If the browser refuses, shows the text. Returns whether it was copied. */
export async function copyText(text: string, what: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    toast({ text: `Copied the ${what}.` });
    return true;
  } catch {
    toast({ text: `The browser does not let this page copy. The ${what}: ${text}` });
    return false;
  }
}
