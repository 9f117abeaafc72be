import "./styles/tokens.css";
import "./styles/base.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ApiError } from "./api/api-error.ts";
import { queries } from "./api/queries.ts";
import { guardRestores } from "./frame/restored.ts";
import { applyMotion, applyTheme } from "./frame/theme.ts";
import { router } from "./router.tsx";

applyTheme();
applyMotion();
guardRestores();
createRoot(document.getElementById("app") as HTMLElement, {
  // A screen shows the errors of the service; all others are faults of the dashboard.
  onCaughtError(error) {
    // biome-ignore lint/suspicious/noConsole: it helps to find the fault
    if (!(error instanceof ApiError)) console.error(error);
  },
}).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
