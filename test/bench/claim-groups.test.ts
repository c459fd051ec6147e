import t from "tap";
import {
	CLAIM_GROUP_PARTS,
	CLAIM_KINDS,
	type ClaimGroup,
	listClaimAuthors,
	loadClaimGroups,
} from "../../bench/labelled/claim-groups.js";

const groupsOf = (part: keyof typeof CLAIM_GROUP_PARTS): readonly ClaimGroup[] =>
	CLAIM_GROUP_PARTS[part].flatMap((author) => loadClaimGroups(author));
const pairsOf = (groups: readonly ClaimGroup[]) =>
	groups.flatMap(({ claims }) =>
		claims.flatMap((claim) => [
			{ claim, label: claim.before, second: claim.second?.before },
			{ claim, label: claim.after, second: claim.second?.after },
		]),
	);

t.test("every author belongs to one part, and a part to no other author's fields", async (t) => {
	const listed = Object.values(CLAIM_GROUP_PARTS).flat();
	t.same([...listed].sort(byNumber), [...listClaimAuthors()].sort(byNumber));
	const fieldsOf = (part: keyof typeof CLAIM_GROUP_PARTS) =>
		new Set(groupsOf(part).map(({ field }) => field));
	for (const held of ["calibration", "test"] as const) {
		for (const part of ["train", "later"] as const)
			for (const field of fieldsOf(held)) t.notOk(fieldsOf(part).has(field), field);
	}
	for (const field of fieldsOf("test")) t.notOk(fieldsOf("calibration").has(field), field);
});

t.test("a group says one thing in two versions, and where its labels come from", async (t) => {
	const groups = (["train", "later", "calibration", "test"] as const).flatMap(groupsOf);
	t.same(
		groups.flatMap((group) => faultsOf(group).map((fault) => `${group.id}: ${fault}`)),
		[],
	);
});

/** The brief of the first twelve authors was the stricter one. */
const LAST_STRICT_AUTHOR = 12;

function faultsOf({ id, passage, old, claims }: ClaimGroup): readonly string[] {
	const turned = claims.filter(({ before, after }) => before !== after).length;
	const isStrict = Number(id.split("-")[0]) <= LAST_STRICT_AUTHOR;
	const labels = claims.map(({ before }) => before).sort();
	return [
		...(passage.split(old).length === 2 ? [] : ["what is changed must stand there once"]),
		...(turned >= (isStrict ? 3 : 2) ? [] : [`the change turns ${turned} labels`]),
		...(!isStrict || labels.join("") === "OORRSS" ? [] : [`labels are ${labels.join("")}`]),
		...claims.filter((claim) => isStrict && !isFounded(claim, passage)).map(({ text }) => text),
	];
}

function isFounded(
	{ before, evidence = "" }: ClaimGroup["claims"][number],
	passage: string,
): boolean {
	if (before === "O") return evidence === "";
	return evidence !== "" && evidence.split(" ... ").every((words) => passage.includes(words));
}

t.test(
	"every kind of change is there often enough, and words of negation tell nothing",
	async (t) => {
		const pairs = (["train", "calibration", "test"] as const).flatMap((part) =>
			pairsOf(groupsOf(part)),
		);
		for (const kind of CLAIM_KINDS) {
			const share = pairs.filter(({ claim }) => claim.kind === kind).length / pairs.length;
			t.ok(share >= 0.05, `${kind}: ${share}`);
		}
		const negated = (wanted: string) => {
			const some = pairs.filter(({ label }) => label === wanted);
			return some.filter(({ claim }) => NEGATION.test(claim.text)).length / some.length;
		};
		const shares = ["S", "R", "O"].map(negated);
		t.ok(Math.max(...shares) - Math.min(...shares) <= 0.08, shares.join(" "));
	},
);

t.test("labels are equally frequent, and nearly every claim has both", async (t) => {
	const claims = groupsOf("train").flatMap((group) => group.claims);
	for (const side of ["before", "after"] as const) {
		for (const label of ["S", "R", "O"]) {
			const share = claims.filter((claim) => claim[side] === label).length / claims.length;
			t.ok(Math.abs(share - 1 / 3) < 0.06, `${side} ${label}: ${share}`);
		}
	}
	const turned = claims.filter(({ before, after }) => before !== after).length / claims.length;
	t.ok(turned > 0.45, `${turned}`);
});

t.test("a second reader agrees on the test part", async (t) => {
	const read = pairsOf(groupsOf("test")).filter(({ second }) => second);
	const agreed = read.filter(({ label, second }) => label === second).length / read.length;
	t.ok(read.length >= 1_400, `${read.length}`);
	t.ok(agreed >= 0.95, `${agreed}`);
});

const NEGATION = /\b(?:not|no|never|none|nobody|neither|nor|without|cannot)\b|n['’]t\b/i;

function byNumber(a: number, b: number): number {
	return a - b;
}
