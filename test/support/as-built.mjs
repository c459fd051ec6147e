// Runs before all tests, so that those that start the command line as it is shipped do not all build it at once.
import { buildWhenStale } from "../../bin/build.mjs";

await buildWhenStale();
