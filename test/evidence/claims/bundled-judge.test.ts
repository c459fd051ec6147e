import { existsSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { createClaimVerifier } from "../../../skills/verify/claims/claim-verifier.js";
import { systemClock } from "../../../src/kernel/clock.js";
import { PACKAGE_ROOT } from "../../../src/kernel/package-info.js";
import { createGraphCatalog } from "../../../src/knowledge/model/catalog.js";
import { createSearchEngine } from "../../../src/search/search-engine.js";
import { makeConcept, makeGraph } from "../../service/sample-graphs.js";
import { startApp } from "../../support/start-app.js";

const FOLDER = join(PACKAGE_ROOT, "models", "judge");
/** Weights in training are not in the repository. */
const skip = existsSync(join(FOLDER, "onnx")) ? false : "there are no weights in models/judge";

const FACTS = [
	"The relay window holds 64 frames of 128 bytes.",
	"Tickets of the ferry were printed in March 2019.",
	"The harbor museum keeps twelve wooden boats.",
];
const graph = makeGraph(
	{ id: "harbor" },
	FACTS.map((summary, at) =>
		makeConcept({ id: `n${at}`, path: `n${at}.md`, title: `Note ${at}`, summary, body: "" }),
	),
);

t.test("with the bundled judge", { skip }, async (t) => {
	const search = await createSearchEngine({
		...{ folder: t.testdir(), clock: systemClock, model: "none" },
		judge: { folder: FOLDER, sums: "required" },
	});
	t.teardown(() => search.close());
	await search.sync([graph]);
	const deps = { search, catalog: createGraphCatalog([graph]), clock: systemClock };
	const verifier = createClaimVerifier(deps);
	const { signal } = new AbortController();
	const verdictOf = async (claim: string) => (await verifier.verify({ claim, signal })).verdict;

	await t.test("an exact restatement is supported", async (t) => {
		const [fact = ""] = FACTS;
		t.equal(await verdictOf(fact), "SUPPORTED", fact);
	});
	await t.test("a swapped figure or date is never supported", async (t) => {
		for (const claim of [
			"The relay window holds 32 frames of 128 bytes.",
			"The relay window holds 64 frames of 256 bytes.",
			"Tickets of the ferry were printed in March 2018.",
			"Tickets of the ferry were printed in May 2019.",
			"The harbor museum keeps twenty wooden boats.",
		]) {
			t.not(await verdictOf(claim), "SUPPORTED", claim);
		}
	});
	await t.test("a server is asked, and charges for its verdict alone", async (t) => {
		const { issueSpt, send } = await startApp(t, { settings: { model: "none", judge: "bundled" } });
		const { token } = await issueSpt("5.00");
		const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
		const [excerpt = ""] = FACTS;
		for (const [sentence, supports] of [
			[excerpt, true],
			["The relay window holds 32 frames of 128 bytes.", false],
		] as const) {
			const body = JSON.stringify({ sentence, excerpt });
			const { body: reply } = await send("/v1/verify/citation", { method: "POST", headers, body });
			t.equal(reply.data.stance === "supports", supports, sentence);
			const isTold = reply.data.stance !== "neutral";
			t.equal(reply.meta.cost.charged, isTold, sentence);
			t.equal(reply.meta.warnings.length, isTold ? 0 : 1);
		}
	});
});
