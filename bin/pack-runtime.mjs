#!/usr/bin/env node
// Copies the library of the ONNX runtime into dist/, for the platforms that a package is for: those below, or the ones that
// TOLLGRAPH_PLATFORMS names ("linux-x64,linux-arm64"). `npm pack` runs it; a checkout uses the installed onnxruntime-node.
import { cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** What of onnxruntime-node the processor needs: no accelerators, and each library once. */
const FILES = {
	"linux-x64": ["onnxruntime_binding.node", "libonnxruntime.so.1"],
	"linux-arm64": ["onnxruntime_binding.node", "libonnxruntime.so.1"],
	"darwin-arm64": ["onnxruntime_binding.node", "libonnxruntime.1.dylib"],
	"win32-x64": ["onnxruntime_binding.node", "onnxruntime.dll"],
};

const names = process.env["TOLLGRAPH_PLATFORMS"]?.split(",") ?? Object.keys(FILES);
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const runtime = dirname(createRequire(import.meta.url).resolve("onnxruntime-node/package.json"));
const target = join(root, "dist", "onnxruntime");

rmSync(target, { recursive: true, force: true });
for (const name of names) {
	const files = FILES[name];
	if (files === undefined)
		fail(`TOLLGRAPH_PLATFORMS names "${name}"; there are ${Object.keys(FILES).join(", ")}`);
	mkdirSync(join(target, name), { recursive: true });
	for (const file of files) {
		const source = join(runtime, "bin", "napi-v6", ...name.split("-"), file);
		if (!existsSync(source)) fail(`onnxruntime-node has no ${source}`);
		cpSync(source, join(target, name, file));
	}
}
process.stderr.write(`The ONNX runtime is packed for ${names.join(", ")}.\n`);

function fail(message) {
	process.stderr.write(`${message}.\n`);
	process.exit(1);
}
