import t from "tap";
import { INDEX_LIMITS } from "../../src/contract/limits.js";
import { systemClock } from "../../src/kernel/clock.js";
import type { Graph } from "../../src/knowledge/model/graph.js";
import type { IndexLimits } from "../../src/search/index/segment-set.js";
import { createSearchEngine, type SearchEngine } from "../../src/search/search-engine.js";
import { createMemoryDisk, type MemoryDisk } from "./memory-disk.js";
import { BOTANY, createCountingEmbedder, sampleConcept, sampleGraph } from "./sample-graph.js";

const LIMITS: IndexLimits = { ...INDEX_LIMITS, segmentDocuments: 4, deltaDocuments: 2 };

/** The head and the body of a concept. */
const PASSAGES = 2;
const TOTAL = 10 * PASSAGES + BOTANY.concepts.length;

const numbered = (count: number) =>
	Array.from({ length: count }, (_, at) =>
		sampleConcept(`c${at}`, { title: `Concept ${at}`, body: `It speaks of topic${at} alone.` }),
	);
const CONCEPTS = numbered(10);
const BEFORE = sampleGraph("numbered", CONCEPTS);
const AFTER = sampleGraph("numbered", [
	...CONCEPTS.slice(1, 9),
	sampleConcept("c9", { title: "Concept 9", body: "Now it is about glaciers." }),
	sampleConcept("c10", { title: "Concept 10", body: "It is new and speaks of lasers." }),
]);

const open = (folder: MemoryDisk, model = createCountingEmbedder()) =>
	createSearchEngine({ folder, clock: systemClock, model, limits: LIMITS });

const copyOf = ({ files }: MemoryDisk) => new Map(files);

/** How many passages a start embeds before it is in line with these graphs. */
async function embeddedAtStart(files: Map<string, Uint8Array>, graphs: readonly Graph[]) {
	const embedder = createCountingEmbedder();
	const engine = await open(createMemoryDisk(files), embedder);
	await engine.sync(graphs);
	const { reason } = engine.status();
	await engine.close();
	return { passages: embedder.passages(), reason };
}

async function idsFor(engine: SearchEngine, graphs: readonly Graph[], query: string) {
	const { signal } = new AbortController();
	const { rows } = await engine.find({ graphs, query, limit: 5, signal });
	return rows.map(({ concept }) => concept.id);
}

async function storedBefore(): Promise<MemoryDisk> {
	const disk = createMemoryDisk();
	const engine = await open(disk);
	await engine.sync([BOTANY, BEFORE]);
	await engine.close();
	return disk;
}

t.test("a crash at any change of the disk leaves the old index or the new one", async (t) => {
	const stored = copyOf(await storedBefore());
	const { passages: whole } = await embeddedAtStart(new Map(stored), [AFTER]);
	t.equal(whole, 2 * PASSAGES, "only what changed is embedded");

	let cuts = 0;
	for (let survived = 0; survived < 40; survived++) {
		const disk = createMemoryDisk(new Map(stored), survived);
		const engine = await open(disk);
		await engine.sync([AFTER]);
		t.equal((await idsFor(engine, [AFTER], "lasers"))[0], "c10", "searches go on");
		const outcome = engine.status().reason?.includes("could not be stored") ? "cut" : "done";
		await engine.close();
		const old = await embeddedAtStart(copyOf(disk), [BOTANY, BEFORE]);
		const fresh = await embeddedAtStart(copyOf(disk), [AFTER]);
		t.ok(old.passages === 0 || fresh.passages === 0, `one set is whole after ${survived} changes`);
		t.same([old.reason, fresh.reason], [undefined, undefined], "nothing is damaged");
		if (outcome === "done" && disk.changes() <= survived) break;
		cuts++;
	}
	t.equal(cuts, 5, "a segment and the manifest are written and named, a segment is removed");
});

t.test(
	"what a crash left behind goes with the next change; what others put there stays",
	async (t) => {
		const disk = createMemoryDisk(copyOf(await storedBefore()));
		disk.files.set("manifest.json.tmp", new Uint8Array(3));
		disk.files.set("numbered-0123456789abcdef-keyword.segment", new Uint8Array(3));
		disk.files.set("notes.txt", new Uint8Array(3));
		disk.files.set("my.segment", new Uint8Array(3));
		const engine = await open(disk);
		await engine.sync([BOTANY, AFTER]);
		await engine.close();
		const names = [...disk.files.keys()];
		t.ok(names.includes("notes.txt") && names.includes("my.segment"));
		t.notOk(names.some((name) => name.endsWith(".tmp") || name.includes("0123456789abcdef")));
	},
);

t.test(
	"a damaged segment costs its own concepts and is named; the others are not touched",
	async (t) => {
		const files = copyOf(await storedBefore());
		const name = [...files.keys()].find((file) => file.startsWith("numbered-")) ?? "";
		const whole = files.get(name) ?? new Uint8Array();
		const damages: Record<string, Uint8Array | undefined> = {
			"a flipped bit": whole.map((byte, at) => (at === whole.length >> 1 ? byte ^ 4 : byte)),
			"a half": whole.slice(0, whole.length >> 1),
			nothing: new Uint8Array(),
			"another segment": files.get(
				[...files.keys()].find((file) => file.startsWith("botany-")) ?? "",
			),
			"no file": undefined,
		};
		for (const [damage, bytes] of Object.entries(damages)) {
			const damaged = new Map(files);
			if (bytes) damaged.set(name, bytes);
			else damaged.delete(name);
			const disk = createMemoryDisk(damaged);
			const embedder = createCountingEmbedder();
			const engine = await open(disk, embedder);
			await engine.sync([BOTANY, BEFORE]);
			t.match(
				engine.status(),
				{ mode: "hybrid", reason: new RegExp(`${name} is not usable`) },
				damage,
			);
			t.ok(
				embedder.passages() > 0 && embedder.passages() <= 4 * PASSAGES,
				"one segment of four at most",
			);
			for (let at = 0; at < 10; at++) {
				t.same((await idsFor(engine, [BEFORE], `topic${at}`))[0], `c${at}`);
			}
			await engine.close();
			const again = await embeddedAtStart(copyOf(disk), [BOTANY, BEFORE]);
			t.same(again, { passages: 0, reason: undefined }, "it is mended");
		}
	},
);

t.test(
	"a manifest that is no manifest is said so; an older one is replaced without a word",
	async (t) => {
		const files = copyOf(await storedBefore());
		for (const [text, reason] of [
			["{", /manifest\.json is not usable/],
			['{"version":4,"graphs":7}', /manifest\.json is not usable/],
			['{"version":2,"graphs":{}}', undefined],
		] as const) {
			const damaged = new Map(files).set("manifest.json", Buffer.from(text));
			const found = await embeddedAtStart(damaged, [BOTANY, BEFORE]);
			t.equal(found.passages, TOTAL);
			if (reason) t.match(found.reason, reason);
			else t.equal(found.reason, undefined);
		}
	},
);

t.test(
	"a restart in the middle of a new model's vectors goes on from what was stored",
	async (t) => {
		const disk = await storedBefore();
		const first = createCountingEmbedder("another");
		const { embed } = first;
		const breaking = {
			...first,
			embed: async (...given: Parameters<typeof embed>) => {
				if (first.passages() >= 8 + 2) first.fail(true);
				return embed(...given);
			},
		};
		const engine = await open(disk, breaking);
		await engine.sync([BOTANY, BEFORE]);
		t.match(engine.status(), { mode: "keyword", pendingVectors: 6 });
		t.equal((await idsFor(engine, [BEFORE], "topic7"))[0], "c7", "words are compared meanwhile");
		await engine.close();

		const second = createCountingEmbedder("another");
		const again = await open(disk, second);
		await again.sync([BOTANY, BEFORE]);
		t.equal(second.passages(), TOTAL - first.passages(), "what was made is not made again");
		t.match(again.status(), { mode: "hybrid", pendingVectors: 0 });
		await again.close();
	},
);
