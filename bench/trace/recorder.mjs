// Loaded into the traced server before its own code: keeps the functions that one request enters, and hands them over when asked.
import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe } from "node:diagnostics_channel";
import { isMainThread } from "node:worker_threads";

// Workers inherit what is loaded before the program; only the main thread answers requests.
if (isMainThread) answerTracer();

function answerTracer() {
	// What a timer, a queue or another thread does beside the request is not part of it.
	const requests = new AsyncLocalStorage();
	let entries;
	subscribe("http.server.request.start", () => requests.enterWith(entries));
	process.on("message", (word) => {
		if (word === "start") {
			entries = [];
			globalThis.__enterFunction = (id) => requests.getStore()?.push(id);
			process.send("started");
		} else {
			globalThis.__enterFunction = undefined;
			process.send(entries);
		}
	});
	// A tracer that is gone leaves no server behind.
	process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
}
