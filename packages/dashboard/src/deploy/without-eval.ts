import { config } from "zod";

// Schemas would otherwise try to make functions from text, which the policy of the page reports.
config({ jitless: true });
