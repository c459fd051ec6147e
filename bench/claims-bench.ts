/** How verdicts agree with their labels: over the sample catalog, and of claim groups on the passage alone (bench/labelled/README.md). */
import { join } from "node:path";
import { type ClaimVerifier, createClaimVerifier } from "../skills/verify/claims/claim-verifier.js";
import { toCitedSentences } from "../src/evidence/cited-sentences.js";
import { type Clock, systemClock } from "../src/kernel/clock.js";
import { PACKAGE_ROOT } from "../src/kernel/package-info.js";
import { createGraphCatalog } from "../src/knowledge/model/catalog.js";
import type { Graph } from "../src/knowledge/model/graph.js";
import type { PairJudge } from "../src/search/judge/pair-judge.js";
import { createSearchEngine } from "../src/search/search-engine.js";
import { benchClaimGroups, type ClaimGroupReport } from "./claim-group-bench.js";
import { type ClaimFigures, evaluateClaims, type JudgedClaim } from "./claims-evaluation.js";
import { round } from "./figures.js";
import { JUDGE_FOLDER, weightsOf } from "./judge-weights.js";
import { loadFirstCatalog } from "./labelled/first-catalog.js";
import {
	CLAIM_PARTS,
	type LabelledClaim,
	loadLabelledClaims,
	UNSEEN_CLAIM_PARTS,
} from "./labelled/labelled-claims.js";
import { atLeast, atMost, type Bar } from "./search/bars.js";

const MODEL_FOLDER = join(PACKAGE_ROOT, "models", "table");
/** The day the claims were written: what "today" means in them. */
const WRITTEN = Date.parse("2026-11-22T12:00:00Z");
const FIXED_CLOCK: Clock = { ...systemClock, now: () => WRITTEN };
const PLAIN_KINDS = ["number", "date", "negation", "unit", "entity-swap"] as const;
/** Share of its own sentences that a catalog may be said to refute. */
const REFUTED_MOST = 0.04;
const SEEN =
	"rules for figures, names and kinds of claims were written with all parts but plain and the groups in sight: bench/labelled/README.md";
const FREE_KINDS = ["opinion", "prediction"] as const;

export interface OpenVerifier {
	readonly verifier: ClaimVerifier;
	readonly graphs: readonly Graph[];
	readonly judge: PairJudge;
	close(): Promise<void>;
}

/** Verification as it is sold over the sample catalog, with vectors of the table and a judge. Throws where the judge cannot be used. */
export async function openClaimVerifier(
	folder: string,
	judgeFolder: string,
): Promise<OpenVerifier> {
	const graphs = await loadFirstCatalog();
	const search = await createSearchEngine({
		folder,
		clock: systemClock,
		model: { folder: MODEL_FOLDER, sums: "required" },
		wordsFolder: MODEL_FOLDER,
		judge: { folder: judgeFolder, sums: "if-there" },
	});
	const { judge } = search;
	if (!judge) throw new Error(`${search.status().judge?.reason}`);
	await search.sync(graphs);
	const catalog = createGraphCatalog(graphs);
	const verifier = createClaimVerifier({ search, catalog, clock: FIXED_CLOCK });
	return { verifier, graphs, judge, close: () => search.close() };
}

export async function judgeClaims(
	verifier: ClaimVerifier,
	claims: readonly LabelledClaim[],
): Promise<readonly JudgedClaim[]> {
	const { signal } = new AbortController();
	const judged: JudgedClaim[] = [];
	for (const labelled of claims) {
		const { claim, as_of: asOf } = labelled;
		const told = await verifier.verify({ claim, asOf, signal });
		const { verdict, qualifier, confidence, gates } = told;
		const stance = gates.find(({ gate }) => gate === "stance");
		// A judge that fails abstains: that is no figure of its verdicts.
		if (stance?.method === "rules" && stance.status !== "skipped") {
			throw new Error(`${labelled.id}: ${stance.reason}`);
		}
		judged.push({ labelled, verdict, qualifier, confidence });
	}
	return judged;
}

/** What the catalog says itself, sentence by sentence: none of it should be refuted by the rest. */
export interface QuoteFigures {
	readonly sentences: number;
	readonly supported: number;
	readonly refuted: number;
	readonly conflicting: number;
}

const QUOTES = 150;

async function judgeQuotes({ verifier, graphs }: OpenVerifier): Promise<QuoteFigures> {
	const { signal } = new AbortController();
	const sentences = graphs.flatMap((graph) =>
		graph.concepts.flatMap((concept) => toCitedSentences(graph, concept)),
	);
	const verdicts: string[] = [];
	for (let place = 0; place < QUOTES; place++) {
		const { text } = sentences[Math.floor((place * sentences.length) / QUOTES)] ?? { text: "" };
		verdicts.push((await verifier.verify({ claim: text, signal })).verdict);
	}
	const count = (wanted: string) => verdicts.filter((verdict) => verdict === wanted).length;
	return {
		sentences: verdicts.length,
		supported: count("SUPPORTED"),
		refuted: count("REFUTED"),
		conflicting: count("CONFLICTING"),
	};
}

export interface ClaimsReport {
	/** SHA-256 of the judge's weights. */
	readonly weights: string;
	/** What the figures are of, so that no one takes them for those of unseen claims. */
	readonly seen: string;
	readonly ms_per_claim: number;
	readonly quotes: QuoteFigures;
	readonly parts: Readonly<Record<string, ClaimFigures>>;
	/** Claim groups by the judge with the vetoes, on the passage alone. */
	readonly groups: Readonly<Record<string, ClaimGroupReport>>;
	/** Claims whose verdict is not the label, of the parts that may be looked at (docs/adr/0043). */
	readonly missed: readonly string[];
	readonly bars: readonly Bar[];
}

export async function benchClaims(
	folder: string,
	judgeFolder = JUDGE_FOLDER,
): Promise<ClaimsReport> {
	const weights = weightsOf(judgeFolder);
	const opened = await openClaimVerifier(folder, judgeFolder);
	const { verifier, judge, close } = opened;
	try {
		const groups = await benchClaimGroups(judge);
		const startedMs = performance.now();
		const parts: Record<string, ClaimFigures> = {};
		const bars: Bar[] = [...groups.bars];
		const missed: string[] = [];
		for (const part of UNSEEN_CLAIM_PARTS) {
			const figures = evaluateClaims(await judgeClaims(verifier, loadLabelledClaims(part)));
			parts[part] = figures;
			bars.push(atLeast(`${part}, right where covered`, figures.accuracy_where_covered, 0.92));
			bars.push(atLeast(`${part}, coverage`, figures.coverage, 0.75));
		}
		for (const part of CLAIM_PARTS) {
			const judged = await judgeClaims(verifier, loadLabelledClaims(part));
			const figures = evaluateClaims(judged);
			parts[part] = figures;
			bars.push(...toClaimBars(figures, part));
			missed.push(...missedOf(judged).map((line) => `${part}/${line}`));
		}
		const claims = Object.values(parts).reduce((sum, figures) => sum + figures.claims, 0);
		const msPerClaim = round((performance.now() - startedMs) / claims);
		const quotes = await judgeQuotes(opened);
		bars.push(atMost("quotes of the catalog, refuted", quotes.refuted, QUOTES * REFUTED_MOST));
		const told = {
			weights,
			seen: SEEN,
			ms_per_claim: msPerClaim,
			quotes,
			parts,
			groups: groups.parts,
		};
		return { ...told, missed, bars };
	} finally {
		await close();
	}
}

/** What verification has to reach, for the kinds a part has. */
export function toClaimBars(figures: ClaimFigures, part: string): readonly Bar[] {
	const ofKinds = (kinds: readonly string[], least: number) =>
		kinds.flatMap((kind) => {
			const { accuracy } = figures.kinds[kind] ?? {};
			if (accuracy === undefined) return [];
			return [atLeast(`${part}, accuracy of ${kind}`, accuracy, least)];
		});
	return [
		atLeast(`${part}, macro-F1`, figures.macro_f1, 0.8),
		atLeast(`${part}, coverage`, figures.coverage, 0.75),
		atMost(`${part}, expected calibration error`, figures.calibration_error, 0.1),
		...ofKinds(PLAIN_KINDS, 0.9),
		...ofKinds(FREE_KINDS, 1),
	];
}

function missedOf(judged: readonly JudgedClaim[]): readonly string[] {
	return judged
		.filter(({ labelled, verdict }) => labelled.verdict !== verdict)
		.map(({ labelled, verdict }) => `${labelled.id}: ${labelled.verdict}, told ${verdict}`);
}
