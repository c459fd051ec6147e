import { readBundle } from "../../src/knowledge/bundle/bundle-reader.js";
import type { Graph } from "../../src/knowledge/model/graph.js";

/** Bundle files from texts by path. */
export function filesOf(texts: Readonly<Record<string, string>>): Map<string, Uint8Array> {
	const encoder = new TextEncoder();
	return new Map(Object.entries(texts).map(([path, text]) => [path, encoder.encode(text)]));
}

export function textOf(files: ReadonlyMap<string, Uint8Array>, path: string): string {
	return new TextDecoder().decode(files.get(path));
}

export function graphOf(texts: Readonly<Record<string, string>>): Graph {
	return readBundle(filesOf(texts)).graph;
}

/** A small graph: a chain low → high → spring with a typed shortcut, each concept with a source. */
export const TIDES: Readonly<Record<string, string>> = {
	"graph.md": `---
type: expert
id: tides
slug: tides-and-currents
title: Tides
version: 1.0.0
updated: "2026-03-01"
description: What moves the sea.
topics: [tides, currents]
example_queries: [Why are there two tides a day?]
curator: { name: Harbour desk, note: Read by hand. }
expert: { agent_id: tide-desk, name: Tide Desk, headline: Reads tables, is_ai_twin: true, disclosure: A synthetic desk., consent: { basis: synthetic } }
---
How water moves.
`,
	"phases/low.md": concept("Low water", "The minimum. [High water](high.md) follows."),
	"phases/high.md": concept("High water", "The maximum, highest at [spring](/cycles/spring.md)."),
	"cycles/spring.md": concept("Spring tide", "SECRET BODY TEXT of the paid concept."),
	"cycles/neap.md": concept("Neap tide", "The weak one.", [
		"relations: [{ type: opposes, target: /cycles/spring.md, weight: 0.5 }]",
	]),
};

function concept(title: string, body: string, more: readonly string[] = []): string {
	const slug = title.toLowerCase().replaceAll(" ", "-");
	return [
		"---",
		"type: Concept",
		`title: ${title}`,
		`description: ${title} in one sentence.`,
		`sources: [{ id: ${slug}, resource: "https://example.org/${slug}", title: On ${slug}, last_modified: "2018-08" }]`,
		...more,
		"---",
		body,
	].join("\n");
}
