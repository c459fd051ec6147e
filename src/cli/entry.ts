/** The command line run from the sources: `npm run dev`, and tests that need a process of their own. */
import { main } from "./main.js";

await main(process.argv.slice(2));
