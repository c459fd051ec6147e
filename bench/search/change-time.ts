import { createApp } from "../../src/app/create-app.js";
import { median, round } from "../figures.js";
import { type FreeAppInput, freeApp } from "./free-app.js";
import { GRAPH_ID } from "./prepared-data.js";

export interface ChangeInput extends FreeAppInput {
	readonly changes: number;
}

export interface ChangeFigures {
	readonly concepts: number;
	/** From the request until a hybrid search has found what is new, and no longer finds what is gone. */
	readonly changed_ms: ChangeTimes;
	readonly added_ms: ChangeTimes;
	readonly removed_ms: ChangeTimes;
}

interface ChangeTimes {
	readonly median: number;
	readonly longest: number;
}

/** Changes, adds and removes single concepts of a large graph, as an operator does: files, index and catalog. */
export async function measureChanges({ changes, ...data }: ChangeInput): Promise<ChangeFigures> {
	const app = await createApp(freeApp(data));
	await app.ready();
	const find = async (query: string): Promise<readonly string[]> => {
		const { signal } = new AbortController();
		const graphs = app.catalog.list();
		const { rows, mode } = await app.search.find({ graphs, query, limit: 10, signal });
		if (mode !== "hybrid") throw new Error("A change was searched by keywords only.");
		return rows.map(({ concept }) => concept.id);
	};
	/** So that nothing else is about it, each change brings a word of its own. */
	const put = async (name: string, word: string) => {
		const path = `generated/${name}.md`;
		const start = performance.now();
		await app.operator.putConcept({ graph_id: GRAPH_ID, path, markdown: toFile(word) });
		const found = await find(word);
		if (!found.includes(`generated.${name}`)) throw new Error("A change is not found.");
		return performance.now() - start;
	};
	const remove = async (name: string, word: string) => {
		const start = performance.now();
		await app.operator.removeConcept({ graph_id: GRAPH_ID, concept_id: `generated.${name}` });
		const found = await find(word);
		if (found.includes(`generated.${name}`)) throw new Error("What is gone is still found.");
		return performance.now() - start;
	};
	await put("warm-up", wordOf("w", 0));
	const times: Record<"changed" | "added" | "removed", number[]> = {
		changed: [],
		added: [],
		removed: [],
	};
	for (let index = 0; index < changes; index++) {
		times.changed.push(await put(`c${index * 7}`, wordOf("c", index)));
		times.added.push(await put(`new${index}`, wordOf("n", index)));
		times.removed.push(await remove(`new${index}`, wordOf("n", index)));
	}
	const { concepts } = app.search.status();
	await app.close();
	return {
		concepts,
		changed_ms: toTimes(times.changed),
		added_ms: toTimes(times.added),
		removed_ms: toTimes(times.removed),
	};
}

function toTimes(milliseconds: readonly number[]): ChangeTimes {
	return { median: round(median(milliseconds), 1), longest: round(Math.max(...milliseconds), 1) };
}

function wordOf(kind: string, index: number): string {
	return `${kind}zqxv${index.toString(26).replace(/\d/g, (digit) => "qrstuvwxyz"[Number(digit)] ?? "")}`;
}

function toFile(word: string): string {
	return `---
type: Concept
title: "The ${word} changed"
description: "A generated concept that speaks of ${word} and nothing else."
sources:
  - { id: s1, resource: "https://example.org/generated/${word}", title: "Generated source of ${word}", last_modified: "2020-01-01" }
---

What ${word} is was changed while searches went on.[^s1]

[^s1]: Generated source of ${word}, 2020-01-01. https://example.org/generated/${word}
`;
}
