/** A fresh process that opens an index on disk, asks it once and says in which mode it was answered. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../src/kernel/clock.js";
import type { Graph } from "../../src/knowledge/model/graph.js";
import type { ModelLocation } from "../../src/search/model/model-folder.js";
import { createSearchEngine } from "../../src/search/search-engine.js";

const [folder = "", modelText = "", graphFile = "", query = ""] = process.argv.slice(2);
const model = JSON.parse(modelText) as ModelLocation;
const opened = createSearchEngine({ folder: join(folder, "index"), clock: systemClock, model });
const engine = await opened;
engine.warm(); // The model loads in its own thread while the graph is read in this one.
const graph = JSON.parse(readFileSync(graphFile, "utf8")) as Graph;
await engine.sync([graph], { vectors: "background" }); // They are on disk; links come while it serves.
const { signal } = new AbortController();
const { mode } = await engine.find({ graphs: [graph], query, limit: 10, signal });
process.stdout.write(`${JSON.stringify({ mode })}\n`);
await engine.close();
