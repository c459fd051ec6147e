/** Building blocks of reports: findings, contradictions, timelines, sources and how they are written down. */

import { normalizeName } from "../../../src/evidence/evidence.js";
import type { Evidence } from "../../../src/knowledge/knowledge.js";
import { findPublisher } from "../../verify/verify.js";

/** Sources that do not stand for each other. */
export interface SourceGroup {
	readonly publisher: string;
	readonly sources: readonly Evidence[];
}

/**
 * Sources in groups that count once each: those of one publisher, and copies, told by one title under several publishers.
 * Titles of fewer than four words name too many things to make copies.
 */
export function groupSources(sources: Iterable<Evidence>): readonly SourceGroup[] {
	const byUrl = new Map([...sources].map((source) => [source.sourceUrl, source]));
	const groups = new Map<string, { publisher: string; sources: Evidence[] }>();
	for (const source of byUrl.values()) {
		const publisher = findPublisher(source).owner;
		const title = normalizeName(source.title);
		const keys = [`p ${publisher}`, ...(isTelling(title) ? [`t ${title}`] : [])];
		const known = new Set(keys.flatMap((key) => groups.get(key) ?? []));
		const [group = { publisher, sources: [] }, ...others] = known;
		group.sources.push(source, ...others.flatMap((other) => other.sources));
		for (const key of keys) groups.set(key, group);
		if (others.length === 0) continue;
		for (const [key, other] of groups) if (others.includes(other)) groups.set(key, group);
	}
	return [...new Set(groups.values())];
}

const TELLING_WORDS = 4;

function isTelling(title: string): boolean {
	return title.split(" ").length >= TELLING_WORDS;
}
